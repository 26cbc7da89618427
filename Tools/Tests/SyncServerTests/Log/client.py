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
import base64, json, os, re, struct, sys, time, urllib.request, uuid

ZERO = [0, 0]  # a time: the moment (milliseconds << 16 | counter) and the session


# ------------------------------------------------------------------------------------------------------------------ bytes
class Writer:
    """Writes a part. Names and times that come again are short."""
    def __init__(self): self.bytes, self.names, self.last = bytearray(), [], ZERO

    def number(self, value):
        while value >= 0x80:
            self.bytes.append(value & 0x7F | 0x80)
            value >>= 7
        self.bytes.append(value)

    def data(self, value):
        self.number(len(value))
        self.bytes += value

    def text(self, value): self.data(value.encode())
    def name(self, value):
        if value in self.names: return self.number(self.names.index(value) + 1)
        self.names.append(value)
        self.number(0)
        self.text(value)

    def record(self, value):
        self.bytes += b'\0' + uuid.UUID(value).bytes if is_uuid(value) else b'\1'
        if not is_uuid(value): self.text(value)

    def time(self, value):
        if value == self.last: return self.bytes.append(0)
        self.bytes += b'\1' if value[1] == self.last[1] else b'\2' + struct.pack('<Q', value[1])
        self.bytes += struct.pack('<Q', value[0])
        self.last = value

    def zone(self, value):
        self.bytes.append(not value.startswith('account-'))
        self.name(value.split('-', 1)[1])

    def optional(self, value, write):
        self.bytes.append(value is not None)
        if value is not None: write(value)

    def map(self, values, key, value):
        self.number(len(values))
        for name in sorted(values, key=str.encode):
            key(name)
            value(values[name])

    def value(self, value):
        kind, content = value
        self.bytes.append(kind)
        if kind in (1, 2): self.number(content)
        if kind == 3: self.bytes += struct.pack('<Q', content)
        if kind == 4: self.text(content)
        if kind in (5, 7): self.data(base64.b64decode(content))
        if kind == 6: self.text(content[0])
        if kind == 6: self.number(content[1])
        if kind == 8: self.record(content[0])
        if kind == 8: self.optional(content[1], self.zone)

    def field(self, field):
        self.time(field[0])
        self.value(field[1])

    def edge(self, edge):
        added, removed, place = edge
        self.bytes.append((added != ZERO) | (removed != ZERO) << 1 | bool(place) << 2 | bool(place and place[2]) << 3)
        if added != ZERO: self.time(added)
        if removed != ZERO: self.time(removed)
        if place: self.time(place[0])
        if place: self.text(place[1])
        if place and place[2]: self.zone(place[2])

    def registers(self, registers):
        names = ['born', 'dead', 'home', 'commit', 'fields', 'edges']
        self.bytes.append(sum(1 << bit for bit, name in enumerate(names) if registers.get(name)))
        if 'born' in registers: self.time(registers['born'][0])
        if 'born' in registers: self.name(registers['born'][1])
        if 'dead' in registers: self.time(registers['dead'])
        if 'home' in registers:
            self.number(registers['home'][0])
            self.time(registers['home'][1])
            self.zone(registers['home'][2])
        if registers.get('fields'): self.map(registers['fields'], self.name, self.field)
        if registers.get('edges'):
            self.map(registers['edges'], self.name, lambda members: self.map(members, self.record, self.edge))


def encode_transaction(id, parts):
    def part(changes):
        part = Writer()
        part.bytes.append(0)
        part.map(changes, part.record, part.registers)
        writer.data(part.bytes)
    writer = Writer()
    writer.bytes += b'\2' + uuid.UUID(id).bytes
    writer.map(parts, writer.zone, part)  # accounts come before shares
    return base64.b64encode(writer.bytes).decode()


class Reader:
    """Reads a part."""
    def __init__(self, text): self.bytes, self.at, self.names, self.last = base64.b64decode(text), 0, [], ZERO

    def take(self, count):
        if count > len(self.bytes) - self.at: raise ValueError('the bytes end too early')
        self.at += count
        return self.bytes[self.at - count:self.at]

    def byte(self): return self.take(1)[0]
    def fixed(self): return struct.unpack('<Q', self.take(8))[0]

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80: return value
            shift += 7
            if shift > 63: raise ValueError('a number is too large')

    def data(self): return self.take(self.number())
    def text(self): return self.data().decode()
    def name(self):
        index = self.number()
        if index: return self.names[index - 1]
        self.names.append(self.text())
        return self.names[-1]

    def record(self): return self.text() if self.byte() else str(uuid.UUID(bytes=self.take(16)))
    def time(self):
        kind = self.byte()
        session = self.fixed() if kind == 2 else self.last[1]
        if kind: self.last = [self.fixed(), session]
        return self.last

    def zone(self): return ['account-', 'share-'][self.byte()] + self.name()
    def optional(self, read): return read() if self.byte() else None

    def map(self, key, value):
        result = {}
        for _ in range(self.number()):
            name = key()
            result[name] = value()
        return result

    def value(self):
        kind = self.byte()
        if kind == 0: return [0, None]
        if kind in (1, 2): return [kind, self.number()]
        if kind == 3: return [3, self.fixed()]
        if kind == 4: return [4, self.text()]
        if kind in (5, 7): return [kind, base64.b64encode(self.data()).decode()]
        if kind == 6: return [6, [self.text(), self.number()]]
        if kind == 8: return [8, [self.record(), self.optional(self.zone)]]
        raise ValueError('a value of an unknown kind')

    def field(self): return [self.time(), self.value()]
    def edge(self):
        bits = self.byte()
        added = self.time() if bits & 1 else ZERO
        removed = self.time() if bits & 2 else ZERO
        place = [self.time(), self.text(), None] if bits & 4 else None
        if bits & 8: place[2] = self.zone()
        return [added, removed, place]

    def registers(self):
        bits, result = self.byte(), {}
        if bits & 1: result['born'] = [self.time(), self.name()]
        if bits & 2: result['dead'] = self.time()
        if bits & 4: result['home'] = [self.number(), self.time(), self.zone()]
        if bits & 8: result['commit'] = self.number()
        if bits & 16: result['fields'] = self.map(self.name, self.field)
        if bits & 32: result['edges'] = self.map(self.name, lambda: self.map(self.record, self.edge))
        return result

    def part(self):
        """Records with their registers, or the list of the records that the server forgot."""
        if self.byte(): return [self.record() for _ in range(self.number())]
        return self.map(self.record, self.registers)


def is_uuid(text): return re.fullmatch('[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', text) is not None


# ------------------------------------------------------------------------------------------------------------------- join
def value_order(value):
    """null, integer, number, text, data, asset, encrypted, reference; then by content."""
    kind, content = value
    rank = [0, 1, 1, 2, 3, 4, 5, 6, 7][kind]
    if kind == 2: return (rank, -1 - content)
    if kind == 4: return (rank, content.encode())
    if kind in (5, 7): return (rank, base64.b64decode(content))
    if kind == 6: return (rank, content[0].encode(), content[1])
    if kind == 8: return (rank, content[0].encode(), zone_order(content[1]))
    return (rank, content or 0)


def zone_order(zone): return (zone is not None, bool(zone) and zone.startswith('share-'), (zone or '').encode())


def greater(old, new, order): return new if old is None or new is not None and order(new) > order(old) else old


def join(old, new):
    """Joins registers into the registers of a record."""
    for name, order in [('born', lambda r: (r[0], r[1].encode())), ('dead', list), ('commit', int),
                        ('home', lambda r: (r[0], r[1], zone_order(r[2])))]:
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
            if value[0] != 8: fields[name] = [moment, [0, None]]


def apply(state, part, commit):
    if isinstance(part, list):
        for name in part: state.pop(name, None)
        return
    for name, registers in part.items():
        join(state.setdefault(name, {}), {**registers, 'commit': commit} if commit else registers)


def is_here(zone, record): return 'born' in record and 'dead' not in record and record.get('home', [0, 0, zone])[2] == zone


# ----------------------------------------------------------------------------------------------------------------- client
class Client:
    def __init__(self, url, token, file):
        self.url, self.token, self.file = url, token, file
        self.session = uuid.uuid4().int >> 64
        self.kept = {'cursor': 0, 'epochs': [], 'states': {}, 'known': [], 'loading': {}, 'parts': {}, 'list': None,
                     'outbox': [], 'clock': 0, 'offset': 0}
        if os.path.exists(file):
            with open(file) as kept: self.kept = json.load(kept)

    def save(self):
        """Stores everything in one step, so that a crash is before or after it."""
        with open(self.file + '.new', 'w') as kept: json.dump(self.kept, kept)
        os.replace(self.file + '.new', self.file)

    def send(self, what, message):
        headers = {'Authorization': 'Bearer ' + self.token, 'Sync-Version': '2', 'Content-Type': 'application/json'}
        request = urllib.request.Request(self.url + '/v2/log/' + what, json.dumps(message).encode(), headers)
        with urllib.request.urlopen(request) as answer: return json.load(answer)

    def pull(self):
        kept = self.kept
        while True:
            request = {'cursor': kept['cursor'], 'known': kept['known'], 'loading': kept['loading'],
                       'unsent': [id for id, _ in kept['outbox'][:1000]]}
            if kept['epochs']: request['epoch'] = kept['epochs'][-1]['name']
            if kept['list']: request['version'] = kept['list']['version']
            answer = self.send('pull', request)
            self.take(answer)
            self.save()
            if not answer.get('epochs') and answer['latest'] <= kept['cursor'] and not kept['loading']: return

    def take(self, answer):
        kept = self.kept
        if answer.get('epochs'):
            pairs = list(zip(kept['epochs'], answer['epochs']))
            same = next((i for i, (old, new) in enumerate(pairs) if old != new), len(pairs))
            fork = answer['epochs'][same]['start'] if same < len(answer['epochs']) else answer['latest']
            if kept['cursor'] > fork:  # what the server lost is lost: this client does not send it again
                kept.update(cursor=0, known=[], loading={}, parts={})
            kept['epochs'] = answer['epochs']
            return
        if answer.get('list'):
            kept['list'] = answer['list']
            names = [zone['name'] for zone in answer['list']['zones']]
            for part in ['states', 'loading', 'parts']: kept[part] = {z: v for z, v in kept[part].items() if z in names}
            kept['known'] = [zone for zone in kept['known'] if zone in names]
        for entry in answer['entries']:
            for zone, part in entry['parts'].items(): apply(kept['states'][zone], Reader(part).part(), entry['commit'])
        for load in answer['loads']:
            zone = load['zone']
            if zone in kept['known']: kept['known'].remove(zone)
            state = {} if load['isStart'] else kept['parts'][zone]
            apply(state, Reader(load['records']).part(), None)
            for entry in load['entries']: apply(state, Reader(entry['parts'][zone]).part(), entry['commit'])
            if load.get('position'):
                kept['parts'][zone], kept['loading'][zone] = state, load['position']
            else:
                kept['states'][zone] = state
                kept['known'].append(zone)
                kept['parts'].pop(zone, None)
                kept['loading'].pop(zone, None)
        kept['outbox'] = [tx for tx in kept['outbox'] if tx[0].upper() not in answer['taken']]
        kept['cursor'] = answer['cursor']

    def push(self):
        """Pulls and pushes until the log has all transactions."""
        while True:
            self.pull()
            kept = self.kept
            if not kept['outbox']: return
            answer = self.send('push', {
                'cursor': kept['cursor'], 'epoch': kept['epochs'][-1]['name'], 'before': [],
                'transactions': [encode_transaction(id, parts) for id, parts in kept['outbox'][:100]]})
            refusal = answer.get('refusal')
            if refusal and refusal['code'] not in ('behind', 'moved'):
                kept['outbox'].pop(answer['taken'])
                self.save()
                raise SystemExit('the server refused a change: ' + refusal['message'])

    def states(self, zone):
        """The state of a zone with the changes that the server does not have yet."""
        state = json.loads(json.dumps(self.kept['states'].get(zone, {})))
        for _, parts in self.kept['outbox']: apply(state, parts.get(zone, {}), None)
        return state

    def tick(self):
        """A time that is later than all that the client has given or seen."""
        seen = [field[0][0] for state in self.kept['states'].values() for record in state.values()
                for field in [record.get('born', [ZERO]), *record.get('fields', {}).values()]]
        self.kept['clock'] = max([int(time.time() * 1000) << 16, self.kept['clock'] + 1] + [moment + 1 for moment in seen])
        return [self.kept['clock'], self.session]

    def change(self, zone, name, registers):
        self.kept['outbox'].append([str(uuid.uuid4()), {zone: {name: registers}}])
        self.save()


def to_value(text):
    if text.startswith('@'): return [8, [text[1:], None]]
    value = json.loads(text)
    if value is None: return [0, None]
    if isinstance(value, (bool, int)): return [1, int(value)] if value >= 0 else [2, -1 - value]
    if isinstance(value, float): return [3, struct.unpack('<Q', struct.pack('<d', value))[0]]
    return [4, value]


def from_value(value):
    kind, content = value
    if kind == 2: return -1 - content
    if kind == 3: return struct.unpack('<d', struct.pack('<Q', content))[0]
    return '@' + content[0] if kind == 8 else content


def fields(arguments, moment): return {name: [moment, to_value(v)] for name, v in (a.split('=', 1) for a in arguments)}


def new_name():
    """A UUID of version 7."""
    number = int(time.time() * 1000) << 80 | uuid.uuid4().int & (1 << 80) - 1
    return str(uuid.UUID(int=number & ~(0xF << 76 | 3 << 62) | 7 << 76 | 2 << 62))


def main(url, token, file, command, zone, *arguments):
    client = Client(url, token, file)
    client.pull()
    moment = client.tick()
    if command == 'create':
        name = new_name()
        client.change(zone, name, {'born': [moment, arguments[0]], 'fields': fields(arguments[1:], moment)})
        print(name)
    if command == 'set': client.change(zone, arguments[0], {'fields': fields(arguments[1:], moment)})
    if command == 'delete': client.change(zone, arguments[0], {'dead': moment})
    if command in ('add', 'remove'):
        name, list, member = arguments
        added = client.states(zone).get(name, {}).get('edges', {}).get(list, {}).get(member, [ZERO])[0]
        edge = [moment, ZERO, [moment, '8', None]] if command == 'add' else [ZERO, added, None]
        client.change(zone, name, {'edges': {list: {member: edge}}})
    client.push()
    if command == 'list':
        for name, record in sorted(client.states(zone).items()):
            if not is_here(zone, record) or record['born'][1] != arguments[0]: continue
            values = {name: from_value(field[1]) for name, field in record['fields'].items()}
            for list, members in record.get('edges', {}).items():
                values[list] = sorted('@' + member for member, edge in members.items() if edge[0] > edge[1])
            print(json.dumps({'name': name, **values}, sort_keys=True))


if __name__ == '__main__': main(*sys.argv[1:])
