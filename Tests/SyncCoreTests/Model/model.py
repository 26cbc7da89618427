"""The sync engine as an executable specification.

Sections: 1 registers and `reduce`; 2 `view`; 3 capture; 4 rebase (outbox -> transactions for the server); 5 the server;
6 the replica. `simulator.py` runs it: edits, a network that loses, repeats and reorders, crashes, wrong clocks, shares,
old programs, restored databases and servers, compaction, hostile participants. `BUG` plants a mistake that it has to find.

A zone's state maps a record's name to its registers. Every register is a join semilattice, so a state is the join of the
log's entries, whatever the order and however often an entry is taken in. Nothing in section 1 knows a schema.
"""
from fractions import Fraction

ZERO = (0, 0, 0)     # a time: (milliseconds, counter, session)
FIRST = Fraction(-2 ** 31)  # the place of a member without a place: before all others
TOLERANCE = 600_000  # how far a client's clock may be ahead of the server's
BUG = None           # the planted bug of this run

# ---------------------------------------------------------------------------------------------- 1. registers and reduce
# born: (time, entity)    dead: (time, None)    home: ((number of moves, time), zone): where it is; absent = here
# ('f', property): (time, value)    ('e', property, member): (added, removed through, place or None)
# '@': (commit of the last change, None), which the server adds. A value is None, a number, a text, ('asset', hash) or
# ('ref', name, hint): the hint is the zone of the target if that was another one than the holder's, else ''. A place is
# (time, fractional key, hint).


def is_ref(value): return isinstance(value, tuple) and value[0] == 'ref'
def hint_of(edge): return edge[2][2] if edge[2] else ''


def order_of(value):
    """The order of values: null is the least, references are the greatest. A tombstone replaces all other values by null, which
    commutes with the join in this order only."""
    if value is None: return (0,)
    if isinstance(value, int): return (1, value)
    if isinstance(value, Fraction): return (2, value)
    if isinstance(value, str): return (3, value)
    return (4, value) if value[0] == 'asset' else (5, value)


def lww(old, new):
    """The later write; equal times are told apart by the value, so that the result does not depend on the order."""
    if old is None or new is None: return new if old is None else old
    if new[0] != old[0]: return new if new[0] > old[0] else old
    return new if [order_of(v) for v in new[1:]] > [order_of(v) for v in old[1:]] else old


def join_edge(old, new):
    """A member of a to-many: present while its newest addition is later than all additions that removals saw."""
    if old is None: old = (ZERO, ZERO, None)
    if BUG == 'removal_keeps_no_trace' and new[1] >= old[0] and new[0] == ZERO: return (ZERO, ZERO, old[2])
    return (max(old[0], new[0]), max(old[1], new[1]), lww(old[2], new[2]))


def present(edge): return edge[0] > edge[1]


def held_in(registers, zone):
    """Registers that leave a zone: their references without a hint meant records of that zone."""
    result = {}
    for k, v in registers.items():
        if k[0] == 'f' and is_ref(v[1]) and not v[1][2]: v = (v[0], ('ref', v[1][1], zone))
        if k[0] == 'e' and v[2] and not v[2][2]: v = (v[0], v[1], (v[2][0], v[2][1], zone))
        result[k] = v
    return result


def join(record, registers):
    """Joins registers into a record. Returns the same object if nothing is new."""
    result = None
    for key, new in registers.items():
        old = (result or record).get(key)
        joined = join_edge(old, new) if key[0] == 'e' else lww(old, new)
        if joined != old:
            if result is None: result = dict(record)
            result[key] = joined
    if result is None: return record
    if 'dead' in result:  # A tombstone keeps the times of attributes and all references: a view may need the latter.
        for key, value in list(result.items()):
            if key[0] == 'f' and value[1] is not None and not is_ref(value[1]): result[key] = (value[0], None)
            if key[0] == 'e' and BUG == 'tombstone_drops_edges': del result[key]
    return result


def reduce(zones, parts, commit=None):
    """Applies an entry: {zone: {name: registers}}. Copies what it changes."""
    zones = dict(zones)
    for zone, changes in parts.items():
        state = zones[zone] = dict(zones.get(zone, {}))
        for name, registers in changes.items():
            if registers is None:  # the server forgets it
                state.pop(name, None)
            else:
                if commit: registers = {**registers, '@': (commit, None)}
                state[name] = join(state.get(name, {}), registers)
    return zones


def is_here(record, zone):
    return 'born' in record and 'dead' not in record and ('home' not in record or record['home'][1] == zone)


def references(registers):
    """The names that registers lead to."""
    for key, value in registers.items():
        if key[0] == 'f' and is_ref(value[1]): yield value[1][1]
        if key[0] == 'e': yield key[2]


def forgettable(state, zone, names):
    """Which dead and departed records no view needs, whatever its schema: none that a living record leads to, and no dead
    one that leads to a living record, because some schema's cascade may go through it."""
    needed = set()
    for name, record in state.items() if BUG != 'forgetting_ignores_references' else ():
        if is_here(record, zone): needed |= set(references(record))
        elif any(is_here(state.get(t, {}), zone) for t in references(record)): needed.add(name)
    return {n for n in names if n in state and n not in needed and not is_here(state[n], zone)}


# ------------------------------------------------------------------------------------------------------------- 2. view
class Prop:
    def __init__(self, kind, entity=None, inverse=None, cascade=False, exclusive=False, unique=False, wire=None):
        self.kind, self.entity, self.inverse = kind, entity, inverse
        self.cascade, self.exclusive, self.unique, self.wire = cascade, exclusive, unique, wire


def attr(**k): return Prop('attr', **k)
def ref(entity, **k): return Prop('ref', entity, **k)        # a to-one that is stored here
def lst(entity, inverse, **k): return Prop('list', entity, inverse, **k)  # derived from the to-one `inverse`
def members(entity, **k): return Prop('set', entity, **k)    # edges that are stored here


def make_schema(entities):
    for properties in entities.values():
        for name, p in properties.items(): p.wire = p.wire or name
        wires = {p.wire for p in properties.values()}
        for name, p in properties.items():  # A renamed property writes the older name and reads both.
            p.reads = (p.wire,) if name in wires else (p.wire, name)
    for entity, properties in entities.items():
        for p in properties.values():  # `owner`: the relationship by which what it leads to owns this object
            if p.kind == 'list': entities[p.entity][p.inverse].owner = p.cascade
    return entities


def field(record, p):
    """What a record has for a property: of its two names the later write."""
    found = None
    for wire in p.reads: found = lww(found, record.get(('f', wire)))
    return found or (ZERO, None)


Prop.owner = False
NEW = make_schema({
    'Project': dict(title=attr(), code=attr(unique=True), tasks=lst('Task', 'project', cascade=True),
                    labels=members('Label', cascade=True), people=members('Person')),
    'Task': dict(title=attr(wire='name'), priority=attr(), photo=attr(), project=ref('Project')),
    'Label': dict(text=attr()), 'Person': dict(email=attr(unique=True), name=attr()),
    'Badge': dict(number=attr(), person=ref('Person', exclusive=True)),
    'Half': dict(side=attr(unique=True), value=attr()), 'Mark': dict(after=ref('Mark'), pair=ref('Task'))})
OLD = make_schema({  # an older program: it knows no labels, no priorities, no unique e-mail; `title` is called `name`
    'Project': dict(title=attr(), tasks=lst('Task', 'project', cascade=True), people=members('Person')),
    'Task': dict(name=attr(), photo=attr(), project=ref('Project')), 'Person': dict(email=attr(), name=attr()),
    'Half': dict(side=attr(unique=True), value=attr()), 'Mark': dict(after=ref('Mark'))})


def rank(zone): return (zone.startswith('share'), zone)  # the account's own zone goes first


def locate(zones, zone, name, hint='', search=False):
    """The record that a reference held in a zone leads to. The zone's own word counts first, with its forwarding pointer,
    then that of the zone that the reference names. Only a view looks elsewhere for a
    name that neither knows: what is written must not follow a name that anybody may have given to a record."""
    if BUG == 'private_name_first':
        for other in sorted(zones, key=rank, reverse=True):
            if name in zones[other] and is_here(zones[other][name], other): return (other, name)
    if BUG == 'names_are_enough': hint, search = '', True
    if name not in zones.get(zone, {}) and name in zones.get(hint, {}): zone = hint
    if name in zones.get(zone, {}):
        seen, pointer = set(), None
        while zone not in seen:
            seen.add(zone)
            record = zones.get(zone, {}).get(name)
            if record is None or 'dead' in record: return None
            # A move writes one home to both zones. A participant may forge a pointer to a record that never moved.
            if pointer and ('home' not in record or record['home'] < pointer): return None
            if is_here(record, zone): return (zone, name)
            zone, pointer = record.get('home', (0, zone))[1], record.get('home')
        return None
    for other in sorted(zones, key=rank) if search else ():
        if name in zones[other] and is_here(zones[other][name], other): return (other, name)
    return None


class View:
    """rows: {(zone, name): {property: value}}, a reference being the key of a row.   group: the records of its zone that a
    row stands for.   row_of: the row that shows a record.   alias: for a row, the record of each zone that it stands for."""

    def __init__(self, zones, schema):
        self.zones, self.schema = zones, schema
        here = {(z, n): r for z, state in zones.items() for n, r in state.items()
                if is_here(r, z) and r['born'][1] in schema}
        # 1. Cascades: what a dead record of the same zone owns is hidden, and what the hidden owns.
        owned = {}
        for (z, n), r in here.items():
            for p in schema[r['born'][1]].values():
                if p.kind == 'ref' and p.owner and is_ref(field(r, p)[1]):
                    owned.setdefault((z, field(r, p)[1][1]), []).append((z, n))
        for z, state in zones.items():
            for n, r in state.items():
                for p in schema.get(r.get('born', (0, 0))[1], {}).values():
                    if p.kind == 'set' and p.cascade:
                        owned.setdefault((z, n), []).extend(
                            (z, k[2]) for k, e in r.items() if k[0] == 'e' and k[1] == p.wire and present(e))
        if BUG == 'cascade_leaves_its_zone':
            for z, n in list(owned):
                for other in zones:
                    if other != z: owned.setdefault((other, n), []).extend(owned[(z, n)])
        self.owned, hidden = owned, set()
        work = [(z, n) for z, state in zones.items() for n, r in state.items() if 'dead' in r]
        while work:
            for child in owned.get(work.pop(), ()):
                if child in here and child not in hidden:
                    hidden.add(child)
                    work.append(child)
        for key in hidden: del here[key]
        # 2. Unique values: within a zone the records with one value are one row. Between zones the first zone's row stands
        # for the others, which are not shown; nothing of a record goes into a row of another zone.
        self.row_of, self.group, self.alias, taken = {}, {}, {}, {}
        parent = {key: key for key in here}

        def find(key):
            while parent[key] != key: key = parent[key]
            return key
        texts, first = {}, {}
        for key, r in here.items():
            entity = r['born'][1]
            texts[key] = [(entity, p.wire, field(r, p)[1]) for p in schema[entity].values()
                          if p.unique and field(r, p)[1] is not None]
            for text in texts[key]:
                a, b = find(key), find(first.setdefault((None if BUG == 'unique_joins_zones' else key[0], text), key))
                if a != b: parent[max(a, b, key=order)] = min(a, b, key=order)
        groups = {}
        for key in here: groups.setdefault(find(key), []).append(key)
        for lead in sorted(groups, key=order):
            keys = sorted(groups[lead], key=order)
            other = next((taken[t] for k in keys for t in texts[k] if t in taken), None)
            row = other or lead
            if other is None: self.group[lead] = keys
            for k in keys:
                self.row_of[k] = row
                self.alias.setdefault(row, {}).setdefault(k[0], k[1])
                if other is None:
                    for t in texts[k]: taken[t] = lead
        # 3. Rows.
        self.rows, self.held, lists = {}, {}, {}
        for lead, keys in self.group.items():
            entity = here[lead]['born'][1]
            row = self.rows[lead] = {'entity': entity}
            merged = {}
            for k in keys:
                for key, value in here[k].items():
                    if key[0] == 'f': merged[key] = lww(merged.get(key), value)
            for name, p in schema[entity].items():
                value = field(merged, p)
                if p.kind == 'attr': row[name] = value[1]
                elif p.kind == 'ref':
                    row[name] = self.resolve(lead[0], value[1][1], p.entity, value[1][2]) if is_ref(value[1]) else None
                    self.held[lead, name] = value
                    if row[name] is not None and (p.owner or p.exclusive):
                        place = merged.get(('f', 'place:' + p.wire), (0, FIRST))[1]
                        lists.setdefault((row[name], entity, name), []).append((place, lead[1], lead))
                elif p.kind == 'set':
                    found = {}
                    for k in keys:
                        for key, edge in here[k].items():
                            if key[0] == 'e' and key[1] == p.wire and present(edge):
                                target = self.resolve(lead[0], key[2], p.entity, hint_of(edge))
                                if target: found[target] = max(found.get(target, (ZERO, FIRST, '')), edge[2] or (ZERO, FIRST, ''))
                    row[name] = [t for _, t in sorted(((place[1], t[1]), t) for t, place in found.items())]
        for lead, row in self.rows.items():
            for name, p in schema[row['entity']].items():
                if p.kind == 'list': row[name] = [k for _, _, k in sorted(lists.get((lead, p.entity, p.inverse), []))]
        for (target, entity, name), rivals in lists.items():
            if schema[entity][name].exclusive:  # one-to-one: the target's own zone goes first, then the later write
                keep = max((k for _, _, k in rivals), key=lambda k: (k[0] == target[0], self.held[k, name][0], k))
                for _, _, k in rivals:
                    if k != keep: self.rows[k][name] = None

    def resolve(self, zone, name, entity, hint):
        key = locate(self.zones, zone, name, hint, search=True)
        row = self.row_of.get(key) if key else None
        return row if row and self.zones[row[0]][row[1]]['born'][1] == entity else None


def order(key): return (rank(key[0]), key[1])


# ---------------------------------------------------------------------------------------------------------- 3. capture
def capture(view, rows, dirty, time):
    """What the program saved, as changes of records. `dirty` is what the store's history says: ('insert', key),
    ('set', key, property), ('delete', key). A row that stands for several records writes to all of them."""
    changes, deleted = {}, {d[1] for d in dirty if d[0] == 'delete'}

    def link(zone, key):  # the record of the holder's own zone, where the row has one there
        name = view.alias.get(key, {}).get(zone)
        return (name, '') if name else (key[1], key[0] if key[0] != zone else '')

    def write(key, register, value):
        group = view.group.get(key, [key])
        for k in group[:1] if BUG == 'unique_writes_one' else group:
            registers = changes.setdefault(k, {})
            registers[register] = join_edge(registers.get(register), value) if register[0] == 'e' else value
    for kind, key, *rest in dirty:
        if kind == 'insert' and key in rows: write(key, 'born', (time, rows[key]['entity']))
    for kind, key, *rest in dirty:
        if kind != 'set' or key not in rows: continue
        row, name = rows[key], rest[0]
        p, old = view.schema[row['entity']][name], view.rows.get(key, {})
        if p.kind == 'attr': write(key, ('f', p.wire), (time, row[name]))
        elif p.kind == 'ref':
            if row[name] is None and old.get(name) in deleted and not p.owner: continue  # the deletion says it already
            write(key, ('f', p.wire), (time, None if row[name] is None else ('ref', *link(key[0], row[name]))))
        elif p.kind == 'list':
            register = ('f', 'place:' + view.schema[p.entity][p.inverse].wire)
            known = {k: view.zones[k[0]][k[1]][register][1] for k in row[name] if k in view.rows and
                     view.rows[k].get(p.inverse) == key and register in view.zones[k[0]].get(k[1], {})}
            for k, place in positions(row[name], known).items(): write(k, register, (time, place))
        else:
            wire, edges = p.wire, {}
            for z, n in view.group.get(key, []):
                for k, e in view.zones[z][n].items():
                    if k[0] == 'e' and k[1] == wire and present(e): edges.setdefault(
                        view.resolve(z, k[2], p.entity, hint_of(e)), []).append((k, e))
            for target, found in edges.items():
                if target is not None and target not in row[name] and target not in deleted:
                    for k, e in found: write(key, k, (ZERO, e[0], None))
            known = {t: max((e[2] or (ZERO, 0, '')) for _, e in f)[1] for t, f in edges.items() if t in row[name]}
            for t, place in positions(row[name], known).items():
                new = [(('e', wire, link(key[0], t)[0]), (0, 0, (0, 0, link(key[0], t)[1])))]
                for k, e in edges.get(t, new):
                    write(key, k, (ZERO if t in edges else time, ZERO, (time, place, hint_of(e))))
    for (k, name), (_, value) in view.held.items():  # what lost against another object does not come to the fore
        p = view.schema[view.rows[k]['entity']][name]
        if p.exclusive and is_ref(value) and view.rows[k][name] is None and k in rows and rows[k][name] is None:
            target = view.resolve(k[0], value[1], p.entity, value[2])
            winner = next((w for w, row in view.rows.items() if target and row.get(name) == target), k)
            if winner != k and rows.get(winner, {}).get(name) != target: write(k, ('f', p.wire), (time, None))
    for key in deleted:
        for k in view.group.get(key, [key]):
            changes[k] = {'dead': (time, None)}
            for edge, value in view.zones.get(k[0], {}).get(k[1], {}).items():  # what the program took out before stays
                if edge[0] == 'e' and present(value) and view.row_of.get((k[0], edge[2]), key) not in deleted:
                    changes[k][edge] = (ZERO, value[0], None)
    return changes


def positions(wanted, known):
    """New fractional keys for the members of a list that are not in ascending order."""
    result, last = {}, None
    for index, member in enumerate(wanted):
        place = known.get(member)
        if place is None or (last is not None and place <= last):
            later = [known[m] for m in wanted[index + 1:] if m in known and (last is None or known[m] > last)]
            after = min(later, default=None)
            if last is None: place = Fraction(0) if after is None else after - 1
            else: place = last + 1 if after is None else (last + after) / 2
            result[member] = place
        last = place
    return result


# ----------------------------------------------------------------------------------------------------------- 4. rebase
class Tx:
    """A save: changes by (zone, name), each with the time of the save. `moves`: rows that the program shared, and where."""

    def __init__(self, id, time, changes, moves=(), owners=(), raw=False):
        self.id, self.time, self.changes, self.moves, self.owners, self.raw = id, time, changes, moves, dict(owners), raw


def rebase(base, outbox, schema, writable, roots):
    """Lays the outbox over the log's state. Returns the state to show, the transactions as the server gets them, and what
    cannot be sent any more. It is a function of its arguments, so nothing has to be remembered between two calls."""
    state, wire, dropped = base, [], []
    for tx in outbox:
        parts, refused, fresh = {}, set(), set()

        def add(key, registers):
            nonlocal state
            part = parts.setdefault(key[0], {})
            part[key[1]] = join(part.get(key[1], {}), registers)
            state = reduce(state, {key[0]: {key[1]: registers}})

        def move(root, zone):
            view, work, seen = View(state, schema), [root], {root}
            while work:
                key = work.pop()
                record = {k: v for k, v in state[key[0]].get(key[1], {}).items() if k != '@'}
                if not is_here(record, key[0]): continue
                there = state.get(zone, {}).get(key[1], {})
                # Another record has its name, or a pointer that it did not make: a participant may forge both.
                if 'dead' in there or is_here(there, zone) or \
                        'home' in there and record.get('home', ((0,), '')) < there['home']: continue
                more = view.owned.get(key, []) + view.group.get(key, [])
                work += [k for k in more if k not in seen and k not in roots]
                seen.update(more)
                home = ((record.get('home', ((0,),))[0][0] + 1, *tx.time), zone)  # moves of a record are counted
                if key in fresh:  # nobody knows it yet
                    state_of = state[key[0]] = dict(state[key[0]])
                    if key[1] not in state.get(zone, {}): fresh.add((zone, key[1]))  # else the record there is another's
                    add((zone, key[1]), held_in(state_of.pop(key[1]), key[0]))
                    del parts[key[0]][key[1]]
                else:
                    add((zone, key[1]), {**held_in(record, key[0]), 'home': home})
                    add(key, {'home': home})
        def owners_of(key):
            """How many owners a deletion follows from. A cascade is laid after its owner, because it stays where that stays."""
            seen = set()
            while key in tx.owners and key not in seen:
                seen.add(key)
                key = tx.owners[key]
            return len(seen)
        for key, registers in sorted(
                tx.changes.items(), key=lambda c: ('born' not in c[1], owners_of(c[0]), order(c[0]))):
            zone, name = key
            why, target = None, key
            if tx.raw:
                if zone in writable and zone in base: add(key, registers)
                continue
            if 'born' in registers and not locate(state, *key) and name not in state.get(zone, {}):
                fresh.add(key)
            else:
                record = state.get(zone, {}).get(name)
                if record is not None and 'dead' in record: why = 'deleted'
                elif record is None or record.get('home', (0, zone))[1] != zone:
                    target = locate(state, *key)  # it moved since
                    if record is None and 'dead' not in registers:
                        # Another device took it out of a share that the account lost. Only the account's devices write its own zone.
                        target = next(((z, name) for z in writable if not z.startswith('share')
                                       and ('home' in state.get(z, {}).get(name, {}) or '@' not in state[z].get(name, {'@': 1}))
                                       and is_here(state[z][name], z)), None)
                    if target is None: why = 'gone' if record is None else 'moved out of sight'
                    elif 'dead' in registers and key in tx.owners: why = 'moved away from what was deleted'
            if why in (None, 'deleted') and target[0] not in writable: why = 'read only'
            if why is None and 'dead' in registers and tx.owners.get(key) in refused: why = 'its owner stays'
            # What came under a deleted owner goes with it, whichever came first: so relationships of the dead are sent.
            rest = {k: v for k, v in registers.items() if k[0] == 'e' or is_ref(v[1])} if why == 'deleted' else {}
            if target and target[0] != zone: registers = held_in(registers, zone)
            if why is None or rest: add(target, rest or registers)
            if why is not None and rest != registers:
                if why not in ('deleted', 'gone'): refused.add(key)
                dropped.append((tx.id, key, why, rest))
        for key, zone in tx.moves:
            target = locate(state, *key)
            if target and not target[0].startswith('share') and zone in writable and target[0] in writable: move(target, zone)
        # An object is in the zone of its owner. Only who makes the owner, or makes the object, moves it.
        for zone in sorted(parts):
            for name, registers in sorted(parts[zone].items()):
                record = state[zone].get(name, {})
                if tx.raw or not is_here(record, zone): continue
                for p in schema.get(record['born'][1], {}).values():
                    value = field(registers, p)
                    if (p.kind == 'ref' and p.owner and value[0] == tx.time and is_ref(value[1])
                            and (zone, name) not in roots and value == field(record, p)):
                        owner = locate(state, zone, value[1][1], value[1][2])
                        if owner and owner[0] != zone and owner[0] in writable: move((zone, name), owner[0])
                    if p.kind == 'set' and p.cascade:
                        for k, e in list(registers.items()):
                            if k[0] == 'e' and k[1] == p.wire and e[0] == tx.time and present(record[k]):
                                child = locate(state, zone, k[2], hint_of(record[k]))
                                if child and child[0] != zone and child[0] in writable and child not in roots: move(child, zone)
        parts = {z: p for z, p in parts.items() if p}
        wire.append((tx.id, tx.time, parts))
    return state, wire, dropped


# ------------------------------------------------------------------------------------------------------- 5. the server
class Server:
    """Zones, logs, shares. It parses registers but knows no schema. Every method is one transaction of its database."""

    def __init__(self):
        self.now, self.commit = 1_800_000_000_000, 0
        self.log = []                     # (commit, id, account, parts)
        self.snapshots = {}               # zone: (commit, state); the log up to there is deleted
        self.floor = 0                    # a push has to have seen this commit
        self.ids = {None: 0}              # id: commit. 24 bytes for each, for ever
        self.epochs = [(0, 0)]            # (name, first commit): one for each start of a server on this database
        self.gone = {}                    # (zone, name): the commit at which it died or left
        self.forgotten = {}               # for the checker
        self.shares = {}                  # zone: {'owner', 'root', 'members': {account: writable}, 'offers': {...}}
        self.assets = {}                  # (zone, hash): the commit at which it came

    def may(self, account, zone, write=False):
        share = self.shares.get(zone)
        if share is None: return zone == account
        if account == share['owner']: return True
        return account in share['members'] and (share['members'][account] or not write)

    def zones(self, account):
        return {z: self.may(account, z, True) for z in [account, *self.shares] if self.may(account, z)}

    def push(self, account, cursor, epochs, before, wire):
        """Appends a transaction to all of its zones, or to none. `before`: the transactions that have to come first."""
        id, time, parts = wire
        if id in self.ids: return 'taken'
        if epochs != self.epochs or cursor < self.floor or any(b not in self.ids for b in before): return 'pull'
        if any(not self.may(account, zone, BUG != 'readers_write') for zone in parts): return 'forbidden'
        for registers in (r for p in parts.values() for r in p.values()):
            if any(t[0] > self.now + TOLERANCE for t in times(registers)): return ('clock', self.now)
        if BUG != 'moves_are_not_checked':
            for commit, other, _, others in reversed(self.log):
                if commit <= cursor: break
                if other not in before and any(collide(parts[z], others[z]) for z in parts if z in others): return 'moved'
        for zone, part in parts.items():
            for registers in part.values():
                for hash in assets_of(registers) if 'dead' not in registers else ():
                    if (zone, hash) not in self.assets:  # it may be in a zone that the record came from
                        if not any(a == hash and self.may(account, z) for z, a in self.assets): return 'assets'
                        self.assets[zone, hash] = self.commit + 1
        if BUG == 'moves_are_two_pushes' and len(parts) > 1:
            parts = dict(sorted(parts.items())[:1] if self.commit % 5 == 0 else parts)
        self.commit += 1
        self.ids[id] = self.commit
        self.log.append((self.commit, id, account, parts))
        for zone, part in parts.items():
            for name, registers in part.items():
                if 'dead' in registers or 'home' in registers: self.gone[zone, name] = self.commit
        return 'taken'

    def upload(self, account, zone, hash):
        if self.may(account, zone, True): self.assets[zone, hash] = self.commit

    def state(self, zone, commit):
        start, state = self.snapshots.get(zone, (0, {}))
        zones = {zone: state}
        for c, _, _, parts in self.log:
            if start < c <= commit and zone in parts: zones = reduce(zones, {zone: parts[zone]}, c)
        return zones[zone]

    def pull(self, account, cursor, epochs, known, unsent, limit):
        """What follows the cursor in all zones of the account, up to one commit: so a save is whole also across zones."""
        zones = self.zones(account)
        common = next((i for i, (a, b) in enumerate(zip(epochs, self.epochs)) if a != b), min(len(epochs), len(self.epochs)))
        fork = self.epochs[common][1] if common < len(self.epochs) else self.commit
        forked = cursor > fork and BUG != 'restore_is_not_noticed'
        entries = [e for e in self.log if e[0] > cursor and any(z in e[3] for z in zones)]
        cut = entries[limit - 1][0] if len(entries) > limit and not forked else self.commit
        behind = {z for z in zones if self.snapshots.get(z, (0,))[0] > cursor}
        cut = max([cut] + [self.snapshots[z][0] for z in behind])
        whole = {z: self.state(z, cut) for z in zones if forked or z not in known or z in behind}
        log = [(c, {z: p for z, p in parts.items() if z in zones and z not in whole})
               for c, _, _, parts in entries if c <= cut]
        roots = {(z, self.shares[z]['root']) for z in zones if z in self.shares}
        return dict(since=cursor, known=known, cursor=cut, epochs=list(self.epochs), fork=fork if forked else None,
                    zones=zones, roots=roots, whole=whole, log=log,
                    taken={id for id in unsent if self.ids.get(id, cut + 1) <= cut})

    def compact(self, zone, commit, floor):
        """Forgets what died or left before the floor, by an entry of the log, so that all replicas forget it alike. Then
        folds the log up to a commit. No device takes part."""
        old = {n for (z, n), c in self.gone.items() if z == zone and c <= floor}
        old = forgettable(self.state(zone, self.commit), zone, old)
        if old and BUG != 'forgetting_is_not_logged':
            self.commit += 1
            self.log.append((self.commit, None, None, {zone: dict.fromkeys(old)}))
            self.forgotten.update({(zone, name): self.commit for name in old})
        commit = min(commit, self.commit)
        if commit <= self.snapshots.get(zone, (0,))[0]: return
        state = self.state(zone, commit)
        if BUG == 'forgetting_is_not_logged': state = {n: r for n, r in state.items() if n not in old}
        self.snapshots[zone] = (commit, state)
        self.floor = max(self.floor, commit)
        self.log = [(c, i, a, {z: p for z, p in parts.items() if z != zone or c > commit})
                    for c, i, a, parts in self.log if c > commit or any(z != zone for z in parts)]
        named = {h for c, _, _, parts in self.log for r in parts.get(zone, {}).values() if r for h in assets_of(r)}
        if BUG != 'assets_of_the_snapshot_go': named |= {h for r in state.values() for h in assets_of(r)}
        self.assets = {k: c for k, c in self.assets.items() if k[0] != zone or k[1] in named or c > floor}


def times(registers):
    for key, value in registers.items():
        if key[0] == 'e': yield from [value[0], value[1]] + ([value[2][0]] if value[2] else [])
        elif key not in ('home', '@'): yield value[0]


def assets_of(registers):
    return [v[1][1] for k, v in registers.items() if k[0] == 'f' and isinstance(v[1], tuple) and v[1][0] == 'asset']


def collide(mine, theirs):
    """Whether one of two concurrent parts moves a record that the other one writes or leads to."""
    def moved(part): return {n for n, r in part.items() if r and 'home' in r}
    def named(part): return set(part) | {t for r in part.values() if r for t in references(r)}
    return bool(moved(mine) & named(theirs) or moved(theirs) & named(mine))


# ------------------------------------------------------------------------------------------------------ 6. the replica
class Replica:
    """One database: the program's rows and history, and beside them what sync keeps. Every method is one transaction of
    it, so a crash is before or after a method. In memory there is nothing but messages on their way."""

    def __init__(self, sim, account, schema, skew):
        self.sim, self.account, self.schema, self.skew, self.offset = sim, account, schema, skew, 0
        self.clock, self.base, self.cursor, self.epochs = (0, 0), {account: {}}, 0, [(0, 0)]
        self.writable, self.roots, self.outbox = {account: True}, set(), []
        self.rows, self.dirty, self.lost, self.owners = {}, [], [], {}
        self.joined, self.blobs, self.saved, self.pairs = True, set(), [], []
        self.shown = self.base
        self.open()

    def open(self):
        """A new session. Times carry its number, and nothing names the database: a copy or a backup never repeats a time."""
        self.session = self.sim.new_number()

    def tick(self):
        wall = self.sim.server.now + self.skew + self.offset
        self.clock = (wall, 0) if wall > self.clock[0] else (self.clock[0], self.clock[1] + 1)
        return (*self.clock, self.session) if self.joined else (self.clock[0] - 2 ** 40, self.clock[1], self.session)

    def capture(self, moves=()):
        """Makes a transaction of the saves since the last call. Any other process may have made them."""
        if not self.dirty and not moves: return
        state, _, _ = self.rebased()
        view, time = View(state, self.schema), self.tick()
        changes = capture(view, self.rows, self.dirty, time)
        rows, before = self.rows, len(self.lost)
        if changes or moves:
            self.outbox.append(Tx(self.sim.new_id('tx'), time, changes, moves, self.owners))
            self.saved.append(self.outbox[-1].id)
        hidden = {k for k, zones in view.alias.items() if len(zones) > 1}
        touched = hidden & {d[1] for d in self.dirty}
        self.dirty, self.owners = [], {}
        self.show()
        if len(self.lost) == before and not touched and not moves: self.sim.compare_echo(self, rows)

    def rebased(self):
        return rebase(self.base, self.outbox, self.schema, {z for z, w in self.writable.items() if w}, self.roots)

    def show(self):
        """Brings the rows to the view, and forgets what cannot be sent any more."""
        state, _, dropped = self.rebased()
        for id, key, why, rest in dropped:
            self.lost.append((id, key, why))
            for tx in self.outbox:
                if tx.id == id:
                    del tx.changes[key]
                    if rest: tx.changes[key] = rest
        self.outbox = [tx for tx in self.outbox if tx.changes or tx.moves]
        self.shown = state
        self.rows = View(state, self.schema).rows

    def pull_request(self):
        return dict(account=self.account, cursor=self.cursor, epochs=self.epochs, known=set(self.base),
                    unsent=[tx.id for tx in self.outbox])

    def take(self, answer):
        """Takes the answer to a pull: log entries, permissions, acknowledgements, in one transaction."""
        if (answer['since'], answer['known']) != (self.cursor, set(self.base)): return  # it is late
        if BUG != 'import_before_capture': self.capture()
        else: self.dirty = []
        old = self.base
        base = {z: answer['whole'][z] if z in answer['whole'] else old[z] for z in answer['zones']}
        if BUG == 'lost_zone_is_kept': base = {**old, **base}
        if BUG == 'snapshot_is_joined':
            base = {z: reduce({z: old.get(z, {})}, {z: state})[z] for z, state in base.items()}
        for commit, parts in answer['log']: base = reduce(base, parts, commit)
        self.base, self.cursor, self.epochs = base, answer['cursor'], answer['epochs']
        self.writable, self.roots = answer['zones'], answer['roots']
        for state in base.values():
            for record in state.values():
                for t in times(record): self.clock = max(self.clock, t[:2])
        self.outbox = [tx for tx in self.outbox if tx.id not in answer['taken']]
        if answer['fork'] is not None: self.send_again(old, answer['fork'])
        self.show()
        for state in base.values():
            for record in state.values(): self.blobs.update(assets_of(record))

    def send_again(self, old, fork):
        """The server lost commits behind `fork` that this replica has seen. It gets the registers that it lacks, with their
        times, so that it does not matter how many replicas send them."""
        changes = {}
        for zone in sorted(z for z in old if z in self.base):
            for name, record in old[zone].items():
                there = self.base[zone].get(name, {})
                lacks = {k: v for k, v in record.items() if k != '@' and join(there, {k: v}) is not there}
                if lacks and record['@'][0] > fork: changes[zone, name] = lacks
        if changes: self.outbox.insert(0, Tx(self.sim.new_id('again'), None, changes, raw=True))

    def push_request(self):
        _, wire, _ = self.rebased()
        return [dict(account=self.account, cursor=self.cursor, epochs=self.epochs, before=[w[0] for w in wire[:i]], wire=w)
                for i, w in enumerate(wire[:self.sim.random.choice([1, 3, 20])])]

    def took(self, answer):
        """The answer to a push counts only where it tells the server's time. The log acknowledges, not the answer."""
        if BUG == 'answer_acknowledges' and answer == 'taken' and self.outbox:
            self.outbox.pop(0)
        if answer[0] != 'clock': return
        self.capture()
        late = answer[1] + TOLERANCE  # what is earlier may have been taken, so that it has to stay as it is
        seen = [t[:2] for s in self.base.values() for r in s.values() for t in times(r)]
        self.clock = max([(0, 0)] + seen + [tx.time[:2] for tx in self.outbox if not tx.raw and tx.time[0] <= late])
        self.offset = answer[1] - self.sim.server.now - self.skew
        new = {tx.time: self.tick() for tx in self.outbox if not tx.raw and (tx.time[0] > late or BUG == 'clock_renews_all')}

        def renew(key, v, time):  # a removal saw nothing that is later than itself
            if key[0] != 'e': return (new.get(v[0], v[0]), v[1])
            return (new.get(v[0], v[0]), min(new.get(v[1], v[1]), time), v[2] and (new.get(v[2][0], v[2][0]), *v[2][1:]))
        for tx in self.outbox:
            if tx.time not in new: continue
            tx.time = new[tx.time]
            tx.changes = {n: {k: renew(k, v, tx.time) for k, v in r.items()} for n, r in tx.changes.items()}
        self.show()

    def copy_of(self):
        """A backup of the database, or the database on another device."""
        twin = object.__new__(Replica)
        twin.__dict__.update(self.__dict__)
        twin.outbox = [Tx(t.id, t.time, dict(t.changes), t.moves, t.owners, t.raw) for t in self.outbox]
        twin.rows = {k: {n: list(v) if isinstance(v, list) else v for n, v in r.items()} for k, r in self.rows.items()}
        twin.dirty, twin.lost, twin.saved = list(self.dirty), list(self.lost), list(self.saved)
        twin.blobs, twin.pairs, twin.owners = set(self.blobs), list(self.pairs), dict(self.owners)
        return twin
