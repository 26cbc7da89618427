"""Runs the model from seeds and checks what must hold.

`python3 simulator.py 1 200` runs seeds 1 to 200. `python3 simulator.py --bugs` plants each mistake and names the first seed
that finds it. A seed determines everything, so that a failure can be run again. Seeds from 500,000 on are of another kind:
six devices and three shares that all may write, and most edits move objects between zones.
"""
import random, sys, time as wallclock
from collections import Counter
from fractions import Fraction

import model
from model import NEW, OLD, ZERO, Replica, Server, View, assets_of, forgettable, is_here, is_ref, join, join_edge, present
from model import reduce, references

SEEN = Counter()  # what the runs came across


# ---------------------------------------------------------------------------------------------------- 1. the simulator
class Edits:
    """What a program does in one save: it changes rows, and the store notes which."""

    def __init__(self, node, random): self.node, self.random, self.rows, self.schema = node, random, node.rows, node.schema

    def keys(self, entity): return sorted(k for k, r in self.rows.items() if r['entity'] == entity)

    def pick(self, entity):
        keys = self.keys(entity)
        return self.random.choice(keys) if keys else None

    def writes(self, zone): return self.node.writable.get(zone, False)

    def set(self, key, name, value):
        if name in self.schema[self.rows[key]['entity']]:
            self.rows[key][name] = value
            self.node.dirty.append(('set', key, name))

    def insert(self, entity, zone=None, **values):
        key = (zone if zone and self.writes(zone) else self.node.account, self.node.sim.new_id(entity[0]))
        empty = {n: [] if p.kind in ('list', 'set') else None for n, p in self.schema[entity].items()}
        self.rows[key] = {'entity': entity, **empty}
        self.node.dirty.append(('insert', key))
        for name, value in values.items(): self.set(key, name, value)
        return key

    def run(self):
        r, sim = self.random, self.node.sim
        for _ in range(r.choice([1, 1, 2, 4])):
            ops = [self.reparent, self.reparent, self.reparent, self.task, self.labels, self.labels, self.edit, self.delete]
            usual = [self.task, self.task, self.project, self.edit, self.edit, self.reparent, self.reparent, self.reorder,
                     self.labels, self.labels, self.people, self.people, self.badge, self.delete, self.delete]
            op = r.choice(ops if sim.moves else usual)
            op()
        number = sim.new_number()
        for side in 'LR':
            half = next((k for k in self.keys('Half') if self.rows[k]['side'] == side), None)
            self.set(half or self.insert('Half', side=side), 'value', number)
        pair, shared = None, [k for k in self.keys('Project') if k[0].startswith('share') and self.writes(k[0])]
        if shared and r.random() < .3: pair = self.task(r.choice(shared))
        mark = self.insert('Mark', after=max((k for k in self.keys('Mark') if k[0] == self.node.account), default=None))
        self.set(mark, 'pair', pair)
        self.node.pairs.append((mark[1], pair and pair[1]))

    def task(self, project=None):
        project = project or self.pick('Project')
        task = self.insert('Task', project and project[0])
        self.set(task, 'title' if 'title' in self.schema['Task'] else 'name', self.random.randrange(1000))
        if project: self.into(task, project)
        return task

    def into(self, task, project):
        self.set(task, 'project', project)
        tasks = self.rows[project]['tasks']
        tasks.insert(self.random.randint(0, len(tasks)), task)
        self.set(project, 'tasks', tasks)

    def project(self):
        key = self.insert('Project', title=self.random.randrange(1000))
        self.recode(key)

    def recode(self, key):
        code = self.random.randrange(4)
        if all(self.rows[k].get('code') != code for k in self.keys('Project')): self.set(key, 'code', code)

    def edit(self):
        r, task = self.random, self.pick('Task')
        project, person = self.pick('Project'), self.pick('Person')
        choice = r.randrange(6)
        if choice < 2 and task: self.set(task, r.choice(['title', 'name', 'priority']), r.randrange(1000))
        if choice == 2 and task:
            hash = 'asset%d' % r.randrange(6)
            self.node.blobs.add(hash)
            self.set(task, 'photo', ('asset', hash))
        if choice == 3 and project: self.set(project, 'title', r.randrange(1000))
        if choice == 4 and project and 'code' in self.schema['Project']: self.recode(project)
        if choice == 5 and person:
            email = r.randrange(5)
            if all(self.rows[k]['email'] != email for k in self.keys('Person')): self.set(person, 'email', email)

    def reparent(self):
        task, project = self.pick('Task'), self.pick('Project')
        if not task or not project: return
        elsewhere = [k for k in self.keys('Project') if k[0] != task[0]]
        if elsewhere and self.random.random() < .6: project = self.random.choice(elsewhere)
        if self.rows[task]['project']: self.rows[self.rows[task]['project']]['tasks'].remove(task)
        if self.random.random() < .15: self.set(task, 'project', None)
        else: self.into(task, project)

    def reorder(self):
        project = self.pick('Project')
        if project:
            tasks = self.rows[project]['tasks']
            self.random.shuffle(tasks)
            self.set(project, 'tasks', tasks)

    def labels(self):
        r, project = self.random, self.pick('Project')
        if not project or 'labels' not in self.schema['Project']: return
        labels = self.rows[project]['labels']
        choice, old = r.randrange(5), self.pick('Label')
        if choice < 2: labels.insert(r.randint(0, len(labels)), self.insert('Label', project[0], text=r.randrange(1000)))
        elif choice == 2 and labels: labels.remove(r.choice(labels))
        elif choice == 3: r.shuffle(labels)
        elif old and old not in labels: labels.append(old)
        self.set(project, 'labels', labels)

    def people(self):
        r, project, person = self.random, self.pick('Project'), self.pick('Person')
        email = r.randrange(5)
        known = next((k for k in self.keys('Person') if self.rows[k]['email'] == email), None)
        if r.random() < .4:  # an upsert
            zone = r.choice(sorted(self.node.writable)) if r.random() < .3 else None
            self.set(known or self.insert('Person', zone, email=email), 'name', r.randrange(1000))
        elif project and person:
            people = self.rows[project]['people']
            if person not in people: people.insert(r.randint(0, len(people)), person)
            elif r.random() < .7: people.remove(person)
            else: r.shuffle(people)
            self.set(project, 'people', people)

    def badge(self):
        if 'Badge' not in self.schema: return
        badge, person = self.pick('Badge'), self.pick('Person')
        if not badge or self.random.random() < .3: badge = self.insert('Badge', number=self.random.randrange(9))
        if self.random.random() < .3: person = None
        for k in self.keys('Badge'):
            if person and k != badge and self.rows[k]['person'] == person: self.set(k, 'person', None)
        self.set(badge, 'person', person)

    def delete(self):
        key = self.pick(self.random.choice(['Project', 'Task', 'Task', 'Person', 'Label', 'Badge']))
        if not key: return
        gone, work = [key], [key]
        while work:
            owner = work.pop()
            row = self.rows[owner]
            for name, p in self.schema[row['entity']].items():
                for child in row[name] if p.cascade else ():
                    if child not in gone:
                        gone.append(child)
                        work.append(child)
                        self.node.owners[child] = owner
        for k in gone:
            self.node.dirty.append(('delete', k))
            del self.rows[k]
        for k, row in self.rows.items():
            for name, value in row.items():
                if isinstance(value, list): row[name] = [v for v in value if v not in gone]
                elif value in gone:
                    row[name] = None
                    self.node.dirty.append(('set', k, name))


class Simulation:
    def __init__(self, seed, steps=110):
        self.seed, self.steps, self.random, self.server = seed, steps, random.Random(seed), Server()
        self.numbers, self.problems, self.network, self.backups = 0, [], [], []
        self.moves = seed >= 500_000
        self.history, self.accepted, self.exempt = [], set(), set()
        r = self.random
        self.hostile, self.restores_server = seed % 5 == 3, seed % 6 == 1
        self.restores_client, self.compacts, self.has_old = seed % 4 == 2, seed % 3 != 0, seed % 5 in (1, 4)
        accounts = r.choice([['ann', 'ann', 'bob', 'cy'], ['ann', 'bob', 'bob', 'cy'], ['ann', 'ann', 'ann', 'bob']])
        if self.moves: accounts = ['ann', 'ann', 'ann', 'bob', 'bob', 'cy']
        self.nodes = [Replica(self, a, OLD if self.has_old and i == seed % 4 else NEW,
                              0 if r.random() < .5 else r.randint(-4, 4) * 3_600_000) for i, a in enumerate(accounts)]
        self.cut_off = set()

    def new_number(self):
        self.numbers += 1
        return self.numbers

    def new_id(self, prefix): return '%s%04x-%d' % (prefix, self.random.randrange(1 << 16), self.new_number())

    def fail(self, text):
        if len(self.problems) < 12: self.problems.append(text)

    def run(self):
        r = self.random
        for node in self.nodes:  # some programs have objects before they sync: these are older than all others
            node.joined = r.random() > .4
            if self.moves:
                edits = Edits(node, r)
                for edit in (edits.project, edits.project, edits.task, edits.task, edits.task): edit()
            for _ in range(r.randint(1, 3)): Edits(node, r).run()
            node.capture()
            node.joined = True
        for node in self.nodes: self.exchange(node)
        if r.random() < .8 or self.moves: self.share(self.nodes[0])
        if self.moves: self.share(self.nodes[0]), self.share(self.nodes[3])
        for zone, share in self.server.shares.items():
            for account in ('bob', 'cy', 'ann'):
                if account != share['owner'] and (r.random() < .8 or self.moves):
                    share['members'][account] = r.random() < (.95 if self.moves else .7)
        for step in range(self.steps):
            self.server.now += r.randrange(40_000)
            self.act(r.choice(self.nodes))
            if self.problems: return ['seed %d step %d: %s' % (self.seed, step, p) for p in self.problems]
        for node in self.nodes:
            node.capture()
            node.schema = NEW  # the update of the program: the view again, from the same state
            node.open()
            node.show()
        for _ in range(4):
            for node in self.nodes: self.exchange(node)
        Checker(self).check()
        return ['seed %d: %s' % (self.seed, p) for p in self.problems]

    def act(self, node):
        r, what = self.random, self.random.randrange(30)
        if what < 8:
            Edits(node, r).run()
            if r.random() < .6: node.capture()
        elif what < 11: self.send(node, 'push')
        elif what < 14: self.send(node, 'pull')
        elif what < 21: self.deliver()
        elif what == 21: self.change_rights()
        elif what == 22 and node not in self.cut_off: self.exchange(node)
        elif what == 23 and r.random() < .4: self.cut_off ^= {node}
        elif what == 24:  # a crash: answers on their way are lost, requests are not
            self.network = [m for m in self.network if m[1] is not node or m[0] != 'answer']
            node.open()
        elif what == 25 and r.random() < .5: self.share(node)
        elif what == 26: node.skew += r.randint(-2, 2) * 3_600_000
        elif what == 27 and self.compacts:
            commit = self.server.commit
            upto = r.choice([commit, r.randint(commit * 2 // 3, commit)])
            for zone in r.sample(['ann', 'bob', 'cy', *sorted(self.server.shares)], r.randint(1, 3)):
                self.server.compact(zone, upto, r.choice([upto, r.randint(upto // 2, upto)]))
        elif what == 28: self.restore(node)
        elif what == 29 and self.hostile: self.attack()

    # The network loses, repeats and reorders.
    def send(self, node, kind):
        if kind == 'push':
            node.capture()
            for request in node.push_request(): self.network.append(('push', node, request))
        else: self.network.append(('pull', node, node.pull_request()))

    def deliver(self):
        r = self.random
        if not self.network: return
        message = self.network.pop(r.randrange(len(self.network)) if r.random() < .4 else 0)
        kind, node, content = message
        if node in self.cut_off: return self.network.append(message)
        if r.random() < .15: return
        if r.random() < .15: self.network.append(message)
        if kind == 'answer': return self.answer(node, *content)
        self.network.append(('answer', node, (kind, self.serve(node, kind, content, r.choice([1, 3, 20])))))

    def serve(self, node, kind, content, limit):
        if kind == 'pull':
            answer = self.server.pull(**content, limit=limit)
            for zone in list(answer['whole']) + [z for _, parts in answer['log'] for z in parts]:
                if not self.server.may(content['account'], zone): self.fail('%s got %s' % (content['account'], zone))
            return answer
        before = self.server.commit
        for part in content['wire'][2].items():
            for registers in part[1].values():
                for hash in assets_of(registers):
                    if hash in node.blobs: self.server.upload(content['account'], part[0], hash)
        answer = self.server.push(**content)
        SEEN['push: ' + (answer if isinstance(answer, str) else answer[0])] += 1
        if self.server.commit > before: self.note(content['account'])
        return answer

    def note(self, account):
        self.history.append(self.server.log[-1])
        self.accepted.add(self.server.log[-1][1])
        for zone in self.server.log[-1][3]:
            if not self.server.may(account, zone, True): self.fail('%s wrote %s' % (account, zone))

    def answer(self, node, kind, content):
        if kind == 'push': return node.took(content)
        node.take(content)
        SEEN['server was restored'] += content['fork'] is not None
        SEEN['snapshot taken'] += bool(set(content['whole']) & content['known'])
        self.check_view(node)

    def exchange(self, node):
        for _ in range(6):
            self.answer(node, 'pull', self.serve(node, 'pull', node.pull_request(), 1000))
            node.capture()
            for request in node.push_request(): self.answer(node, 'push', self.serve(node, 'push', request, 0))
        self.answer(node, 'pull', self.serve(node, 'pull', node.pull_request(), 1000))

    def share(self, node):
        if node in self.cut_off: return
        self.exchange(node)
        private = [k for k, row in node.rows.items() if row['entity'] == 'Project' and k[0] == node.account]
        if not private or len(self.server.shares) > 3: return
        project, zone = self.random.choice(sorted(private)), 'share%d' % len(self.server.shares)
        self.server.shares[zone] = dict(owner=node.account, root=project[1], members={})
        self.answer(node, 'pull', self.serve(node, 'pull', node.pull_request(), 1000))
        node.capture(moves=[(project, zone)])

    def change_rights(self):
        r = self.random
        if not self.server.shares: return
        share = self.server.shares[r.choice(sorted(self.server.shares))]
        account = r.choice([a for a in ('ann', 'bob', 'cy') if a != share['owner']])
        if r.random() < .6: share['members'][account] = r.random() < .7
        else: share['members'].pop(account, None)

    def restore(self, node):
        """A backup of a database or of the server comes back, or a database is copied to another device."""
        r = self.random
        if self.restores_server:
            if not self.backups: self.backups.append((copy_server(self.server), list(self.history)))
            elif r.random() < .5 and len(self.backups) == 1:
                old, history = self.backups[0]
                old.now, old.shares = self.server.now, self.server.shares
                old.epochs = old.epochs + [(self.new_number(), old.commit)]
                self.server, self.history = old, history
                self.backups.append(None)
        elif self.restores_client:
            if not self.backups: self.backups.append((node, node.copy_of()))
            elif r.random() < .5 and len(self.backups) == 1:
                old, twin = self.backups[0]
                if r.random() < .5:  # the backup
                    self.exempt |= set(old.saved) - set(twin.saved)
                    self.lost_marks = {m for m, _ in old.pairs} - {m for m, _ in twin.pairs}
                    self.replace(old, twin)
                else:  # a copy on another device of the account
                    other = next((n for n in self.nodes if n.account == old.account and n is not old), None)
                    if other:
                        self.exempt |= set(other.saved)
                        self.lost_marks = {m for m, _ in other.pairs}
                        self.replace(other, old.copy_of())
                self.backups.append(None)

    lost_marks = frozenset()

    def replace(self, node, copy):
        self.network = [m for m in self.network if m[1] is not node]
        schema, skew = node.schema, node.skew
        node.__dict__.update(copy.__dict__)
        node.skew = skew
        node.open()
        node.capture()
        node.show()

    def attack(self):
        """A participant's program that writes what it likes, knowing all names."""
        r, account = self.random, self.nodes[-1].account
        zones = [z for z in self.server.shares if self.server.may(account, z, True)]
        if r.random() < .2:  # the server refuses most of these
            zones = [z for z in ('ann', 'bob', *self.server.shares) if z != account]
        names = sorted({n for node in self.nodes for s in node.base.values() for n in s})
        if not zones or not names: return
        time = (self.server.now + r.randint(-10 ** 6, 600_000), 0, 10 ** 9 + self.new_number())
        parts = {}
        for _ in range(r.randint(1, 3)):
            zone, entity = r.choice(zones), r.choice(sorted(NEW))
            registers = parts.setdefault(zone, {}).setdefault(r.choice(names), {})
            if r.random() < .7: registers['born'] = (time, entity)
            if r.random() < .2: registers['dead'] = (time, None)
            if r.random() < .2: registers['home'] = ((r.randrange(4), *time), r.choice(zones + ['ann', 'bob']))
            for p in NEW[entity].values():
                link = ('ref', r.choice(names), r.choice(['', *zones, 'ann', 'bob']))
                value = r.choice([None, r.randrange(5), 'L', 'R', link])
                if p.kind in ('attr', 'ref') and r.random() < .7: registers['f', p.wire] = (time, value)
                if p.kind == 'set':
                    place = (time, Fraction(1), r.choice(['', *zones, 'ann']))
                    registers['e', p.wire, r.choice(names)] = (time, r.choice([ZERO, time]), place)
        if self.server.push(account, self.server.commit, self.server.epochs, [], (self.new_id('evil'), time, parts)) == 'taken':
            self.note(account)

    # ------------------------------------------------------------------------------------------------- 2. the checker
    def compare_echo(self, node, rows):
        """What the program saved is what the store shows afterwards. A restored server may have an object in two zones, and a
        reference cannot tell them apart."""
        if self.hostile: return
        where = {}
        for k in node.rows: where.setdefault(k[1], []).append(k)
        if self.restores_server and any(len(keys) > 1 for keys in where.values()): return

        def there(k): return k if k in node.rows or len(where.get(k[1], [])) != 1 else where[k[1]][0]
        def value(v): return there(v) if isinstance(v, tuple) and v[0] != 'asset' else v
        mine = {there(k): {n: [there(x) for x in v] if isinstance(v, list) else value(v) for n, v in row.items()}
                for k, row in rows.items()}
        if mine != node.rows:
            for k in sorted(set(mine) | set(node.rows)):
                if mine.get(k) != node.rows.get(k):
                    return self.fail('not what was saved: %s was %s is %s' % (k, mine.get(k), node.rows.get(k)))

    def check_view(self, node):
        """At any time: saves are whole, and nothing is seen without its cause."""
        if node.dirty: return
        rows = node.rows
        halves = {row['side']: row['value'] for k, row in rows.items() if row['entity'] == 'Half' and k[0] == node.account}
        if halves.get('L') != halves.get('R'): self.fail('%s sees half a save: %s' % (node.account, halves))
        known = {n for state in node.shown.values() for n in state}
        for key, row in rows.items():
            if row['entity'] != 'Mark' or key[0] != node.account: continue
            record = node.shown[key[0]][key[1]]
            after = record.get(('f', 'after'), (0, None))[1]
            if after and (key[0], after[1]) not in rows: self.fail('%s lacks the cause of %s' % (node.account, key))
            pair = record.get(('f', 'pair'), (0, None))[1]
            if pair and pair[1] not in known and not self.compacts and not self.restores_server:
                dropped = {k[1] for n in self.nodes for _, k, _ in n.lost}
                if len(node.base) > len(self.server.shares) and pair[1] not in self.moved() | dropped:
                    self.fail('half a save across zones: %s' % (key,))

    def moved(self):
        """Records that left for zones which this or that account cannot read."""
        return {n for _, _, _, parts in self.history for p in parts.values() for n, r in p.items() if 'home' in r}


def copy_server(server):
    twin = Server()
    for name, value in server.__dict__.items():
        setattr(twin, name, type(value)(value) if isinstance(value, (list, dict)) else value)
    return twin


class Checker:
    """What must hold when everything was exchanged. It reads the history of all that was ever acknowledged."""

    def __init__(self, sim):
        self.sim, self.server, self.nodes = sim, sim.server, sim.nodes
        self.full = {}
        for c, _, _, parts in sim.history: self.full = reduce(self.full, parts, c)

    def check(self):
        for node in self.nodes:
            self.sim.check_view(node)
            view = View(node.base, NEW)
            SEEN['rows of several records'] += sum(len(g) > 1 for g in view.group.values())
            SEEN['rows that stand for other zones'] += sum(len(a) > 1 for a in view.alias.values())
            for _, _, why in node.lost: SEEN['dropped: ' + why] += 1
        for _, _, _, parts in self.sim.history:
            SEEN['transactions'] += 1
            SEEN['transactions of several zones'] += len(parts) > 1
            SEEN['records moved'] += sum('home' in r and 'born' not in r for p in parts.values() for r in p.values())
        self.saves()
        self.equality()
        self.laws()
        if not self.sim.hostile and not self.late(): self.cascades()
        for node in self.nodes: self.isolation(node)
        for _, _, _, parts in self.sim.history:
            for zone, part in parts.items():
                for name, r in part.items():
                    time, entity = r.get('born', (ZERO, None))
                    if zone.startswith('share') and entity in ('Mark', 'Half') and time[2] < 10 ** 9:  # not an attacker's
                        self.fail('the private %s got into %s' % (name, zone))
        self.assets()
        if not self.sim.hostile:
            if not self.sim.restores_server:
                self.acknowledged()
                self.places()
            self.participants()

    def fail(self, text): self.sim.fail(text)

    def saves(self):
        """Each save was acknowledged, or its changes are in the conflict log. Marks are never deleted: all are shown."""
        for node in self.nodes:
            if node.outbox: self.fail('%s has unsent %s' % (node.account, [(t.id, list(t.changes)) for t in node.outbox]))
            noted = {id for id, _, _ in node.lost}
            for id in node.saved:
                if id not in self.sim.accepted and id not in noted and id not in self.sim.exempt:
                    self.fail('%s lost the save %s' % (node.account, id))
            saved = {m for other in self.nodes if other.account == node.account for m, _ in other.pairs}
            if self.sim.restores_client: saved -= self.sim.lost_marks
            lost = saved - {k[1] for k in node.rows}
            if lost: self.fail('%s lost the marks %s' % (node.account, sorted(lost)[:3]))

    def equality(self):
        """The devices of an account are equal, also to a new one, and to a fold of everything without compaction."""
        first = {}
        for node in self.nodes:
            if set(node.base) != set(self.server.zones(node.account)): self.fail('%s has other zones' % node.account)
            for zone, state in node.base.items():
                if state != self.server.state(zone, self.server.commit):
                    self.fail('%s has another state of %s' % (node.account, zone))
            other = first.setdefault(node.account, node)
            if other is not node: self.same('%s: two devices' % node.account, other.rows, node.rows)
        for account, node in first.items():
            new = Replica(self.sim, account, NEW, 0)
            for _ in range(3): self.sim.exchange(new)
            self.same('%s: a new device' % account, node.rows, new.rows)
            if not self.sim.restores_server and not self.sim.hostile and not self.late():
                full = {z: self.full.get(z, {}) for z in self.server.zones(account)}
                self.same('%s: without compaction' % account, node.rows, View(full, NEW).rows)

    def late(self):
        """Whether something came under a record that the server had forgotten. It stays, without that record."""
        return any(self.server.forgotten.get((z, t), c) < c for c, _, _, parts in self.sim.history
                   for z, p in parts.items() for r in p.values() for t in references(r))

    def same(self, what, one, two):
        for key in sorted(set(one) | set(two)):
            if one.get(key) != two.get(key):
                return self.fail('%s differ in %s: %s, %s' % (what, key, one.get(key), two.get(key)))

    def laws(self):
        r = random.Random(self.sim.seed)
        parts = [(e[3], e[0]) for e in self.sim.history]
        mixed = parts + r.sample(parts, len(parts) // 3)
        r.shuffle(mixed)
        state = {}
        for p, commit in mixed: state = reduce(state, p, commit)
        if state != self.full: self.fail('the order of the log matters, or an entry taken in twice')
        for zone, s in state.items():
            less = {n: r for n, r in s.items() if n not in forgettable(s, zone, set(s))}
            for schema in (NEW, OLD):
                if View({zone: less}, schema).rows != View({zone: s}, schema).rows:
                    self.fail('what was forgotten changes the view of %s' % zone)

    def acknowledged(self):
        """Each acknowledged register is where its record is now, or a later one, or the record was deleted."""
        for commit, id, account, parts in self.sim.history:
            for zone, part in parts.items():
                for name, registers in part.items():
                    key, seen, dead = (zone, name), set(), False
                    while key not in seen:
                        seen.add(key)
                        record = self.full[key[0]].get(key[1], {}) if key[0] in self.full else {}
                        dead = dead or 'dead' in record
                        key = (record.get('home', (0, key[0]))[1], name)
                    wanted = {k: v for k, v in registers.items() if k != 'home'}
                    if not dead and join(record, wanted) is not record:
                        return self.fail('%s of %s: what was acknowledged of %s %s is not in %s' % (
                            id, account, zone, name, key))
                    now = self.server.state(key[0], self.server.commit).get(key[1])
                    if not dead and now != record: return self.fail('compaction lost something of %s' % (key,))

    def cascades(self):
        """Nothing is shown of what a deleted object owned, whoever added it and whatever program deleted the object."""
        for node in self.nodes:
            for z in node.base:
                for name, record in self.full.get(z, {}).items():
                    owner = record.get(('f', 'project'), (0, None))[1]
                    if is_ref(owner) and (z, name) in node.rows and not self.sim.restores_server:
                        if 'dead' in self.full[z].get(owner[1], {}): self.fail('%s %s outlives its owner' % (z, name))
                    if 'dead' in record and record.get('born', (0, 0))[1] == 'Project' and not self.sim.restores_server:
                        for k, e in self.edges(z, name).items():
                            if (z, k) in node.rows and node.rows[z, k]['entity'] == 'Label':
                                self.fail('%s label %s outlives its owner' % (z, k))

    def edges(self, zone, name):
        found = {}
        for _, _, _, parts in self.sim.history:
            for k, e in parts.get(zone, {}).get(name, {}).items():
                if k[0] == 'e' and k[1] == 'labels': found[k[2]] = join_edge(found.get(k[2]), e)
        return {k: e for k, e in found.items() if present(e)}

    def isolation(self, node):
        """What a private zone says is shown as it is, whatever others write into shares."""
        zone = node.account
        alone, rows = View({zone: node.base[zone]}, NEW).rows, View(node.base, NEW).rows
        if {k for k in alone} != {k for k in rows if k[0] == zone}: self.fail('%s: shares change which objects are private' % zone)
        for key, row in alone.items():
            for name, value in row.items():
                now = rows.get(key, {}).get(name)
                if isinstance(value, list): now = [x for x in now or () if x in value]
                elif value is None and isinstance(now, tuple) and now[0] != 'asset': continue
                if now != value: self.fail('%s: shares change %s of %s: %s, %s' % (zone, name, key, value, now))

    def participants(self):
        """A participant has of a share what the owner has, but for what leads out of it."""
        for zone, share in self.server.shares.items():
            seen = []
            for node in self.nodes:
                if zone not in node.base: continue
                view = View(node.base, NEW)

                def inside(key):
                    name = view.alias.get(key, {}).get(zone)
                    return name and (zone, view.row_of[zone, name] == key and name)
                rows = {k: {n: [inside(x) for x in v if inside(x)] if isinstance(v, list) else
                            inside(v) if isinstance(v, tuple) and v[0] != 'asset' else v for n, v in r.items()}
                        for k, r in view.rows.items() if k[0] == zone}
                hidden = {k for k, row in view.row_of.items() if k[0] == zone and row[0] != zone}
                hidden |= {k for k in rows if len(view.alias[k]) > 1}  # what leads to another zone's record is shown with it
                seen.append((node, rows, hidden))
            for node, rows, hidden in seen[1:]:
                apart = hidden | seen[0][2]
                one, two = ({k: r for k, r in x.items() if k not in apart} for x in (seen[0][1], rows))
                if not apart: self.same('%s and %s in %s' % (seen[0][0].account, node.account, zone), one, two)
                elif set(one) != set(two): self.fail('%s: %s have other objects' % (zone, node.account))

    def places(self):
        """No record is in two zones, whoever moved it at the same time."""
        found = {}
        for zone in ['ann', 'bob', 'cy', *self.server.shares]:
            for name, record in self.server.state(zone, self.server.commit).items():
                if is_here(record, zone) and found.setdefault(name, zone) != zone:
                    self.fail('%s is in %s and in %s' % (name, found[name], zone))

    def assets(self):
        for zone in ['ann', 'bob', 'cy', *self.server.shares]:
            for name, record in self.server.state(zone, self.server.commit).items():
                for hash in assets_of(record) if is_here(record, zone) else ():
                    if (zone, hash) not in self.server.assets and not self.sim.restores_server:
                        self.fail('the server lacks %s of %s %s' % (hash, zone, name))


# ---------------------------------------------------------------------------------------------------- 3. planted bugs
BUGS = ['removal_keeps_no_trace', 'tombstone_drops_edges', 'forgetting_ignores_references', 'private_name_first',
        'cascade_leaves_its_zone', 'unique_joins_zones', 'unique_writes_one', 'moves_are_not_checked',
        'moves_are_two_pushes', 'restore_is_not_noticed', 'assets_of_the_snapshot_go', 'import_before_capture',
        'snapshot_is_joined', 'answer_acknowledges', 'forgetting_is_not_logged',
        'lost_zone_is_kept', 'readers_write', 'names_are_enough', 'clock_renews_all']

# These need a copied database, a restored server, a hostile participant, which only some seeds have.
RARE = {'clock_renews_all': range(2, 8000, 4), 'readers_write': range(3, 4000, 5), 'names_are_enough': range(500003, 505000, 5)}


def run(seed):
    try: return Simulation(seed).run()
    except Exception as error:
        import traceback
        return ['seed %d: %s' % (seed, traceback.format_exc())]


def main(arguments):
    if arguments[:1] == ['--bugs']:
        for model.BUG in arguments[1:] or BUGS:
            seeds = RARE.get(model.BUG, range(1, 400))
            found = next(((s, p) for s in seeds for p in [run(s)] if p), None)
            print('%-26s %s' % (model.BUG, 'NOT FOUND' if not found else 'seed %d: %s' % (found[0], found[1][0][:150])), flush=True)
        return
    first, count = int(arguments[0]), int(arguments[1])
    failed, start = 0, wallclock.time()
    for seed in range(first, first + count):
        problems = run(seed)
        failed += bool(problems)
        for p in problems[:2]: print(p[:250], flush=True)
    print('%d seeds from %d: %d failed, %.0f s' % (count, first, failed, wallclock.time() - start))
    print(', '.join('%s %d' % x for x in sorted(SEEN.items())))


if __name__ == '__main__': main(sys.argv[1:])
