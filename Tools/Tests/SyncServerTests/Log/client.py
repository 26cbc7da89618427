#!/usr/bin/env python3
"""A client of the sync protocol (Documentation/sync-protocol.md) that reads, creates, changes and deletes objects.

    client.py URL TOKEN STATE list ZONE CLASS
    client.py URL TOKEN STATE create ZONE CLASS PROPERTY=VALUE…
    client.py URL TOKEN STATE set ZONE NAME PROPERTY=VALUE…
    client.py URL TOKEN STATE add|remove ZONE NAME LIST MEMBER
    client.py URL TOKEN STATE delete ZONE NAME

STATE is the file in which the client keeps its states, its cursor and its outbox. A value is JSON, or `@NAME` for a reference. Each command
saves locally, then pulls and pushes until the server has all changes. It uses the standard library alone. It has no models: it neither
hides what a deletion takes along nor moves objects, and it does not read assets or encrypted values.
"""
import base64, copy, json, os, re, struct, sys, time, urllib.error, urllib.request, uuid

ZERO = [0, 0]  # a time: the moment (milliseconds << 16 | counter) and the session
# The registers by the order of their bits. An element is the name of a method of Bytes, a list of elements one after another, or a map as
# {key: element}.
REGISTERS = {'born': ['time', 'name'], 'dead': 'time', 'home': ['number', 'time', 'zone'], 'commit': 'number',
             'fields': {'name': ['time', 'value']}, 'edges': {'name': {'record': 'edge'}}}
# What follows the kind of a value.
VALUES = [[], ['number'], ['number'], ['fixed'], ['text'], ['base64'], ['text', 'number'], ['base64'], ['record', 'hint']]


# ------------------------------------------------------------------------------------------------------------------ bytes
class Bytes:
    """The bytes of a part. Each method writes its value, or reads one from a part of the server and ignores its argument."""
    latest = 0  # the latest moment that the client has read or written
    def __init__(self, text=None):
        self.is_reading, self.bytes, self.at = text is not None, bytearray(base64.b64decode(text or '')), 0
        self.names, self.last = [], ZERO  # what is short when it comes again

    def run(self, element, value=None):
        if isinstance(element, str): return getattr(self, element)(value)
        if isinstance(element, list): return [self.run(part, value and value[at]) for at, part in enumerate(element)]
        [(key, element)] = element.items()
        names, result = sorted(value or [], key=str.encode), {}
        for at in range(self.number(len(names))):
            name = self.run(key, value and names[at])
            result[name] = self.run(element, value and value[name])
        return result

    def raw(self, count, value):
        if not self.is_reading: self.bytes += value
        if count > len(self.bytes) - self.at: raise ValueError('the bytes end too early')
        self.at += count
        return bytes(self.bytes[self.at - count:self.at])

    def number(self, value):
        value, result, shift = value or 0, 0, 0
        while shift <= 63:
            byte = self.raw(1, bytes([value >> shift & 0x7F | (value >> shift > 0x7F) << 7]))[0]
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80: return result
        raise ValueError('a number is too large')

    def fixed(self, value): return struct.unpack('<Q', self.raw(8, struct.pack('<Q', value or 0)))[0]
    def data(self, value): return self.raw(self.number(len(value or b'')), value or b'')
    def text(self, value): return self.data((value or '').encode()).decode()
    def base64(self, value): return base64.b64encode(self.data(base64.b64decode(value or ''))).decode()
    def name(self, value):
        index = self.number(self.names.index(value) + 1 if value in self.names else 0)
        if not index: self.names.append(self.text(value))
        return self.names[index - 1]

    def record(self, value):
        if self.number(value and not is_uuid(value)): return self.text(value)
        return str(uuid.UUID(bytes=self.raw(16, value and uuid.UUID(value).bytes)))

    def time(self, value):
        kind = self.number(value and (0 if value == self.last else 1 if value[1] == self.last[1] else 2))
        session = self.fixed(value and value[1]) if kind == 2 else self.last[1]
        if kind: self.last = [self.fixed(value and value[0]), session]
        Bytes.latest = max(Bytes.latest, self.last[0])
        return self.last

    def zone(self, value):
        kind = self.number(value and is_share(value))
        return ['account-', 'share-'][kind] + self.name(value and value.split('-', 1)[1])

    def hint(self, value): return self.zone(value) if self.number(value is not None) else None
    def value(self, value):
        kind = self.number(value and value[0])
        return [kind] + self.run(VALUES[kind], value and value[1:])

    def edge(self, edge):
        added, removed, place = edge or [ZERO, ZERO, None]
        bits = self.number((added != ZERO) | (removed != ZERO) << 1 | bool(place) << 2 | bool(place and place[2]) << 3)
        added, removed = self.time(added) if bits & 1 else ZERO, self.time(removed) if bits & 2 else ZERO
        if not bits & 4: return [added, removed, None]
        return [added, removed, self.run(['time', 'text'], place) + [self.zone(place and place[2]) if bits & 8 else None]]

    def registers(self, value):
        value = value or {}
        bits = self.number(sum(1 << bit for bit, name in enumerate(REGISTERS) if value.get(name)))
        present = [name for bit, name in enumerate(REGISTERS) if bits >> bit & 1]
        return {name: self.run(REGISTERS[name], value.get(name)) for name in present}

    def part(self, value=None):
        """Records with their registers, or the list of the records that the server forgot."""
        if self.number(0): return [self.record(None) for _ in range(self.number(0))]
        return self.run({'record': 'registers'}, value)

def encode_transaction(id, parts):
    def part(changes):
        part = Bytes()
        part.part(changes)
        return part.bytes
    transaction = Bytes()
    transaction.raw(17, b'\2' + uuid.UUID(id).bytes)
    transaction.run({'zone': 'data'}, {zone: part(changes) for zone, changes in parts.items()})  # accounts come before shares
    return base64.b64encode(transaction.bytes).decode()

def is_uuid(text): return re.fullmatch('[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', text) is not None
def is_share(zone): return zone.startswith('share-')


# ------------------------------------------------------------------------------------------------------------------- join
def value_order(value):
    """null, integer, number, text, data, asset, encrypted, reference; then by content."""
    kind, *content = value
    if kind == 2: return (1, -1 - content[0])
    if kind in (4, 6): return (kind, content[0].encode(), *content[1:])
    if kind in (5, 7): return (kind, base64.b64decode(content[0]))
    if kind == 8: return (kind, content[0].encode(), zone_order(content[1]))
    return (kind, *content)

def zone_order(zone): return (zone is not None, bool(zone) and is_share(zone), (zone or '').encode())
def home_order(home): return (home[0], home[1], zone_order(home[2]))
def greater(old, new, order): return new if old is None or new is not None and order(new) > order(old) else old

def join(old, new):
    """Joins registers into the registers of a record."""
    for name, order in [('born', lambda r: (r[0], r[1].encode())), ('dead', list), ('commit', int), ('home', home_order)]:
        if name in new: old[name] = greater(old.get(name), new[name], order)
    fields = old.setdefault('fields', {})
    for name, field in new.get('fields', {}).items():
        fields[name] = greater(fields.get(name), field, lambda f: (f[0], value_order(f[1])))
    for name, members in new.get('edges', {}).items():
        edges = old.setdefault('edges', {}).setdefault(name, {})
        for member, (added, removed, place) in members.items():
            edge = edges.get(member, [ZERO, ZERO, None])
            place = greater(edge[2], place, lambda p: (p[0], p[1].encode(), zone_order(p[2])))
            edges[member] = [max(edge[0], added), max(edge[1], removed), place]
    if 'dead' in old:
        for name, (moment, value) in fields.items():
            if value[0] != 8: fields[name] = [moment, [0]]
    return old

def apply(state, part, commit):
    if isinstance(part, list): return [state.pop(name, None) for name in part]
    for name, registers in part.items():
        join(state.setdefault(name, {}), {**registers, 'commit': commit} if commit else registers)

def lacking(record, other):
    """The registers of a record that another state of it lacks."""
    both = join(copy.deepcopy(other), record)
    def lacked(some, other, both): return {name: some[name] for name in some if both[name] != other.get(name)}
    result = lacked({name: record[name] for name in ('born', 'dead', 'home') if name in record}, other, both)
    result['fields'] = lacked(record.get('fields', {}), other.get('fields', {}), both['fields'])
    edges = {name: lacked(members, other.get('edges', {}).get(name, {}), both['edges'][name])
             for name, members in record.get('edges', {}).items()}
    result['edges'] = {name: members for name, members in edges.items() if members}
    return {name: registers for name, registers in result.items() if registers}

def leaving(record, zone):
    """The registers for another zone: what they lead to without a zone is in the zone that they leave."""
    record = copy.deepcopy(record)
    for _, value in record.get('fields', {}).values():
        if value[0] == 8: value[2] = value[2] or zone
    for _, _, place in (edge for members in record.get('edges', {}).values() for edge in members.values()):
        if place: place[2] = place[2] or zone
    return record

def in_own(record, zone):
    """The registers of a record of another zone for the own zone. A dead one could lead to private records, and hide them."""
    keys = ['born', 'dead'] if 'dead' in record else ['born', 'fields', 'edges']
    return leaving({key: record[key] for key in keys if key in record}, zone)

def home(zone, record): return record.get('home', [0, ZERO, zone])[2]
def is_here(zone, record): return 'born' in record and 'dead' not in record and home(zone, record) == zone


# ----------------------------------------------------------------------------------------------------------------- client
class Client:
    def __init__(self, url, token, file):
        self.url, self.token, self.file = url, token, file
        self.session = uuid.uuid4().int >> 64
        # `outbox` has transactions: the identity, the parts, and whether a restored server lost them. `forked` has the owner of each zone
        # that such a server has not sent yet.
        self.kept = {'cursor': 0, 'epochs': [], 'states': {}, 'known': [], 'loading': {}, 'parts': {}, 'list': None,
                     'outbox': [], 'clock': 0, 'fork': 0, 'forked': {}}
        if os.path.exists(file):
            with open(file) as kept: self.kept = json.load(kept)

    def save(self):
        """Stores everything in one step, so that a crash is before or after it."""
        self.kept['clock'] = max(self.kept['clock'], Bytes.latest)
        with open(self.file + '.new', 'w') as kept: json.dump(self.kept, kept)
        os.replace(self.file + '.new', self.file)

    def send(self, what, message):
        headers = {'Authorization': 'Bearer ' + self.token, 'Sync-Version': '2', 'Content-Type': 'application/json'}
        request = urllib.request.Request(self.url + '/v2/log/' + what, json.dumps(message).encode(), headers)
        try:
            with urllib.request.urlopen(request) as answer: return json.load(answer)
        except urllib.error.HTTPError as error: return json.load(error)

    def pull(self):
        kept = self.kept
        is_complete = False
        while not is_complete:
            request = {'cursor': kept['cursor'], 'known': kept['known'], 'loading': kept['loading'],
                       'unsent': [id for id, _, _ in kept['outbox'][:1000]]}
            if kept['epochs']: request['epoch'] = kept['epochs'][-1]['name']
            if kept['list']: request['version'] = kept['list']['version']
            answer = self.send('pull', request)
            if answer.get('epochs'): self.begin(answer)
            elif answer.get('code') == 'unknownSequence': self.fork(kept['epochs'][-1]['start'])
            elif answer.get('code'): raise SystemExit(answer['message'])
            else: is_complete = self.take(answer)
            self.save()

    def begin(self, answer):
        """The server was started again, and its database may have been restored."""
        old, new = self.kept['epochs'], answer['epochs']
        same = next((i for i, pair in enumerate(zip(old, new)) if pair[0] != pair[1]), min(len(old), len(new)))
        fork = new[same]['start'] if same < len(new) else answer['latest']
        self.kept['epochs'] = new
        if self.kept['cursor'] > fork: self.fork(fork)

    def fork(self, commit):
        """The server has lost what it had after a commit. It gives all zones whole, and the states here stay until then."""
        kept = self.kept
        kept['fork'] = min(commit, kept['fork']) if kept['forked'] else commit
        owners = {**kept['forked'], **{zone['name']: zone['owner'] for zone in kept['list']['zones']}}
        kept.update(cursor=0, known=[], loading={}, parts={}, forked={zone: owners[zone] for zone in kept['states']})

    def zones(self): return [zone['name'] for zone in self.kept['list']['zones']]  # the account's own one is the first

    def take(self, answer):
        kept = self.kept
        if answer.get('list'):
            kept['list'] = answer['list']
            names, own = self.zones(), answer['list']['zones'][0]
            # The states of own shares that a restored server lost stay until the own zone is here.
            kept['forked'] = {zone: owner for zone, owner in kept['forked'].items()
                              if zone in names or own['name'] in kept['forked'] and owner == own['owner']}
            for part in ['states', 'loading', 'parts']:
                kept[part] = {z: v for z, v in kept[part].items() if z in names or part == 'states' and z in kept['forked']}
            kept['known'] = [zone for zone in kept['known'] if zone in names]
        for entry in answer['entries']:
            for zone, part in entry['parts'].items(): apply(kept['states'][zone], Bytes(part).part(), entry['commit'])
        for load in answer['loads']:
            zone = load['zone']
            if zone in kept['known']: kept['known'].remove(zone)
            state = {} if load['isStart'] else kept['parts'][zone]
            apply(state, Bytes(load['records']).part(), None)
            for entry in load['entries']: apply(state, Bytes(entry['parts'][zone]).part(), entry['commit'])
            if load.get('position'): kept['parts'][zone], kept['loading'][zone] = state, load['position']
            else:
                if zone in kept['forked']: self.compare(zone, state)
                kept['states'][zone] = state
                kept['known'].append(zone)
                for part in ['parts', 'loading']: kept[part].pop(zone, None)
        kept['outbox'] = [tx for tx in kept['outbox'] if tx[0].upper() not in answer['taken']]
        kept['cursor'] = answer['cursor']
        return answer['latest'] <= kept['cursor'] and len(kept['known']) == len(kept['list']['zones'])

    def compare(self, zone, new):
        """Sends what a restored server lacks of a zone. The own zone takes in the shares that the server does not have any more."""
        states, forked, names = self.kept['states'], self.kept['forked'], self.zones()
        old, own, changed, written = states[zone], names[0], {}, {}
        for name, record in old.items():
            if record.get('commit', 0) <= self.kept['fork']: continue
            changed[name] = {**record}
            if home(zone, record) in names: continue
            moved = changed[name].pop('home')
            place, lost = [*moved[:2], own], states.get(moved[2], {}).get(name, {})
            if zone == own or not (self.says(own, name, place) or lost.get('home') == moved and self.comes_back(name, moved[2], moved)):
                continue
            changed[name]['home'] = place
            # What others wrote since the restore goes with the record.
            written[name] = in_own(lacking(new.get(name, {}), record), zone)
        self.resend(zone, changed, new)
        self.resend(own, written, {})
        del forked[zone]
        for share in [share for share in forked if share not in names and zone == own]:
            found = {}
            for name, record in states.pop(share).items():
                moved, before, since = record.get('home'), old.get(name, {}).get('home'), new.get(name, {}).get('home')
                if home(share, record) != share or not self.comes_back(name, share, moved): continue
                # Another client has moved the record since the restore.
                if since and since[2] != own and (before is None or home_order(before) < home_order(since)): continue
                found[name] = in_own(record, share)
                if moved: found[name]['home'] = [*moved[:2], own]
            self.resend(zone, found, new)
            del forked[share]
            for _, parts, is_resent in self.kept['outbox']:
                for name, registers in parts.pop(share, {}).items():
                    if not is_resent: apply(parts.setdefault(zone, {}), {name: leaving(registers, share)}, None)

    def says(self, zone, name, place):
        """Whether the state of a zone, or what is sent there, has that home of a record."""
        parts = [self.kept['states'].get(zone, {})] + [parts.get(zone, {}) for _, parts, _ in self.kept['outbox']]
        return any(part.get(name, {}).get('home') == place for part in parts)

    def comes_back(self, name, share, moved):
        """Whether a record of a lost share comes back into the own zone. Any participant can use the name of a private record, so the own
        zone does not know the name, or it says that the record went to the share, perhaps through other zones."""
        states, own, seen = self.kept['states'], self.zones()[0], set()
        zone = own
        if name not in states[own]: return True
        while zone not in seen:
            seen.add(zone)
            if moved and self.says(zone, name, [*moved[:2], own]): return True
            zone = home(zone, states.get(zone, {}).get(name, {}))
            if zone == share: return True
        return False

    def resend(self, zone, records, new):
        """Puts what a zone lacks before the outbox, because that may be based on it."""
        lacked = [(name, some) for name, record in records.items() if (some := lacking(record, new.get(name, {})))]
        for start in range(0, len(lacked), 1000): self.add({zone: dict(lacked[start:start + 1000])}, True)
        self.kept['outbox'].sort(key=lambda transaction: not transaction[2])

    def locate(self, zone, name):
        """The zone that a record moved to; None if it is out of sight. A pointer leads to a record that made that move or a later one,
        because any participant of a share can use the name of a private record there."""
        pointer, seen = None, set()
        while zone not in seen:
            seen.add(zone)
            record = self.kept['states'].get(zone, {}).get(name)
            if record is None or 'dead' in record: return None
            if pointer and ('home' not in record or home_order(record['home']) < home_order(pointer)): return None
            if is_here(zone, record): return zone
            zone, pointer = home(zone, record), record.get('home')

    def rebase(self):
        """Lets unsent changes follow the records that moved, and drops changes of records that are out of sight."""
        new, dropped = set(), set()
        for transaction in self.kept['outbox']:
            _, parts, is_resent = transaction
            changes = [(zone, *change) for zone, part in parts.items() for change in part.items()]
            new.update((zone, name) for zone, name, registers in changes if 'born' in registers)
            if is_resent: continue
            transaction[1] = {}
            for zone, name, registers in changes:
                place = zone if (zone, name) in new else self.locate(zone, name)
                if place is None: dropped.add(name)
                elif place == zone: apply(transaction[1].setdefault(zone, {}), {name: registers}, None)
                else: apply(transaction[1].setdefault(place, {}), {name: leaving(registers, zone)}, None)
        self.kept['outbox'] = [transaction for transaction in self.kept['outbox'] if transaction[1]]
        self.save()
        if dropped: raise SystemExit('changes of records that are out of sight were dropped: ' + ', '.join(dropped))

    def push(self):
        """Pulls and pushes until the log has all transactions."""
        while True:
            self.pull()
            self.rebase()
            kept = self.kept
            if not kept['outbox']: return
            answer = self.send('push', {
                'cursor': kept['cursor'], 'epoch': kept['epochs'][-1]['name'], 'before': [],
                'transactions': [encode_transaction(id, parts) for id, parts, _ in kept['outbox'][:100]]})
            refusal = answer if 'code' in answer else answer.get('refusal')
            if refusal and refusal['code'] not in ('behind', 'moved'):
                kept['outbox'].pop(answer.get('taken', 0))
                self.save()
                raise SystemExit('the server refused a change: ' + refusal['message'])

    def states(self, zone):
        """The state of a zone with the changes that the server does not have yet."""
        state = copy.deepcopy(self.kept['states'].get(zone, {}))
        for _, parts, _ in self.kept['outbox']: apply(state, parts.get(zone, {}), None)
        return state

    def tick(self):
        """A time that is later than all that the client has given or seen."""
        self.kept['clock'] = max(int(time.time() * 1000) << 16, self.kept['clock'] + 1, Bytes.latest + 1)
        return [self.kept['clock'], self.session]

    def add(self, parts, is_resent=False): self.kept['outbox'].append([str(uuid.uuid4()), parts, is_resent])

def to_value(text):
    if text.startswith('@'): return [8, text[1:], None]
    value = json.loads(text)
    if value is None: return [0]
    if isinstance(value, (bool, int)): return [1, int(value)] if value >= 0 else [2, -1 - value]
    if isinstance(value, float): return [3, struct.unpack('<Q', struct.pack('<d', value))[0]]
    return [4, value]

def from_value(value):
    kind, content = (value + [None])[:2]
    if kind == 2: return -1 - content
    if kind == 3: return struct.unpack('<d', struct.pack('<Q', content))[0]
    return '@' + content if kind == 8 else content

def fields(arguments, moment): return {name: [moment, to_value(v)] for name, v in (a.split('=', 1) for a in arguments)}

def new_name():
    """A UUID of version 7."""
    number = int(time.time() * 1000) << 80 | uuid.uuid4().int & (1 << 80) - 1
    return str(uuid.UUID(int=number & ~(0xF << 76 | 3 << 62) | 7 << 76 | 2 << 62))

def main(url, token, file, command, zone, *arguments):
    client = Client(url, token, file)
    moment = client.tick()
    name, registers = arguments[0], None
    if command == 'create':
        name, registers = new_name(), {'born': [moment, arguments[0]], 'fields': fields(arguments[1:], moment)}
        print(name)
    if command == 'set': registers = {'fields': fields(arguments[1:], moment)}
    if command == 'delete': registers = {'dead': moment}
    if command in ('add', 'remove'):
        _, list, member = arguments
        added = client.states(zone).get(name, {}).get('edges', {}).get(list, {}).get(member, [ZERO])[0]
        edge = [moment, ZERO, [moment, '8', None]] if command == 'add' else [ZERO, added, None]
        registers = {'edges': {list: {member: edge}}}
    if registers: client.add({zone: {name: registers}})
    client.save()
    client.push()
    if command == 'list':
        for name, record in sorted(client.states(zone).items()):
            if not is_here(zone, record) or record['born'][1] != arguments[0]: continue
            values = {name: from_value(field[1]) for name, field in record['fields'].items()}
            for list, members in record.get('edges', {}).items():
                values[list] = sorted('@' + member for member, edge in members.items() if edge[0] > edge[1])
            print(json.dumps({'name': name, **values}, sort_keys=True))


if __name__ == '__main__': main(*sys.argv[1:])
