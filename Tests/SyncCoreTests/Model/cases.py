"""The conflict table and the cases of zones, each as a few lines. `python3 cases.py` runs all."""
import itertools, random

import model
from model import NEW, OLD, Replica, Server, View, join


class Group:
    """Replicas and a server, without a network. `save` is what a program does; `sync` exchanges everything."""

    def __init__(self, *accounts, schemas=None):
        self.server, self.random, self.number = Server(), random.Random(1), 0
        self.nodes = [Replica(self, a, (schemas or {}).get(i, NEW), 0) for i, a in enumerate(accounts)]

    def new_number(self):
        self.number += 1
        return self.number

    def new_id(self, prefix): return '%s%d' % (prefix, self.new_number())
    def compare_echo(self, node, rows): assert {k[1]: v for k, v in rows.items()}.keys() == {k[1] for k in node.rows}

    def push(self, index):
        node = self.nodes[index]
        return [self.server.push(**request) for request in node.push_request()]

    def pull(self, index): self.nodes[index].take(self.server.pull(**self.nodes[index].pull_request(), limit=1000))

    def sync(self, *indices):
        for _ in range(3):
            for i in indices or range(len(self.nodes)):
                self.pull(i)
                while self.nodes[i].outbox:
                    self.push(i)
                    self.pull(i)
        for node in self.nodes if not indices else ():
            assert not node.outbox
            assert node.rows == View(node.base, node.schema).rows

    def insert(self, index, entity, zone=None, **values):
        node = self.nodes[index]
        key = (zone or node.account, self.new_id(entity[0]))
        node.rows[key] = {'entity': entity, **{n: [] if p.kind in ('list', 'set') else None for n, p in node.schema[entity].items()}}
        node.dirty.append(('insert', key))
        for name, value in values.items(): self.set(index, key, name, value)
        node.capture()
        return key

    def set(self, index, key, name, value):
        node = self.nodes[index]
        self.server.now += 1000
        node.rows[key][name] = value
        node.dirty.append(('set', key, name))
        node.capture()

    def delete(self, index, *keys):
        node = self.nodes[index]
        self.server.now += 1000
        for key in keys:
            node.dirty.append(('delete', key))
            if key is not keys[0]: node.owners[key] = keys[0]
            del node.rows[key]
        node.capture()

    def share(self, index, key, **members):
        zone = 'share%d' % len(self.server.shares)
        self.server.shares[zone] = dict(owner=self.nodes[index].account, root=key[1], members=members)
        self.pull(index)
        self.nodes[index].capture(moves=[(key, zone)])
        self.sync()
        return zone

    def rows(self, index, entity): return {k: r for k, r in self.nodes[index].rows.items() if r['entity'] == entity}
    def lost(self, index): return [why for _, _, why in self.nodes[index].lost]


def fields():
    g = Group('ann', 'ann')
    p = g.insert(0, 'Project', title='a')
    g.sync()
    g.set(0, p, 'title', 'b')
    g.set(1, p, 'code', 7)
    g.set(1, p, 'title', 'c')
    g.sync()
    assert [g.nodes[i].rows[p]['title'] for i in (0, 1)] == ['c', 'c'] and g.nodes[0].rows[p]['code'] == 7


def deletion_wins():
    for first in (0, 1):
        g = Group('ann', 'ann')
        p = g.insert(0, 'Project', title='a')
        g.sync()
        g.delete(0, p)
        g.set(1, p, 'title', 'b')
        g.sync(first)
        g.sync()
        assert not g.rows(0, 'Project') and not g.rows(1, 'Project')
        assert ('deleted' in g.lost(1)) == (first == 0)


def cascade():
    for first in (0, 1):  # whichever came first, the child goes with its owner
        g = Group('ann', 'ann')
        p = g.insert(0, 'Project', title='a')
        g.sync()
        g.delete(0, p)
        g.insert(1, 'Task', title='t', project=p)
        label = g.insert(1, 'Label', text='l')
        g.set(1, p, 'labels', [label])
        g.sync(first)
        g.sync()
        assert not g.rows(0, 'Task') and not g.rows(1, 'Task') and not g.rows(0, 'Label')


def kept_child():
    g = Group('ann', 'ann')
    p = g.insert(0, 'Project', title='a')
    t = g.insert(0, 'Task', title='t', project=p)
    g.sync()
    g.nodes[0].rows[t]['project'] = None
    g.nodes[0].dirty.append(('set', t, 'project'))
    g.delete(0, p)  # in the same save
    g.sync()
    assert t in g.nodes[1].rows and g.nodes[1].rows[t]['project'] is None


def nullify():
    g = Group('ann', 'ann')
    e = g.insert(0, 'Person', email='e')
    g.sync()
    g.delete(0, e)
    b = g.insert(1, 'Badge', number=1, person=e)
    g.sync()
    assert g.nodes[0].rows[b]['person'] is None


def lists():
    g = Group('ann', 'ann')
    p = g.insert(0, 'Project', title='a')
    labels = [g.insert(0, 'Label', text=i) for i in range(3)]
    g.set(0, p, 'labels', labels)
    g.sync()
    one, two = g.insert(0, 'Label', text='x'), g.insert(1, 'Label', text='y')
    g.set(0, p, 'labels', [labels[0], one, labels[1], labels[2]])
    g.set(1, p, 'labels', [labels[0], two, labels[2], labels[1]])
    g.sync()
    found = g.nodes[0].rows[p]['labels']
    assert found == g.nodes[1].rows[p]['labels'] and set(found) == {*labels, one, two} and found.index(labels[2]) < found.index(labels[1])
    g.set(0, p, 'labels', [x for x in found if x != one])  # removes it
    g.set(1, p, 'labels', [x for x in found if x != one])
    g.set(1, p, 'labels', found)  # removes it, and adds it again
    g.sync()
    assert one in g.nodes[0].rows[p]['labels']


def unique():
    g = Group('ann', 'ann')
    p, q = g.insert(0, 'Person', email='e', name='p'), g.insert(1, 'Person', email='e', name='q')
    g.sync()
    row, = g.rows(0, 'Person')
    assert g.rows(0, 'Person') == g.rows(1, 'Person') and g.nodes[0].rows[row]['name'] == 'q'
    g.set(0, row, 'email', 'f')
    g.sync()
    assert [r['email'] for r in g.rows(1, 'Person').values()] == ['f']
    g.delete(1, row)
    g.sync()
    assert not g.rows(0, 'Person')


def shared():
    g = Group('ann', 'ann', 'bob')
    p = g.insert(0, 'Project', title='a')
    t = g.insert(0, 'Task', title='t', project=p)
    g.sync()
    g.set(1, t, 'title', 'late')  # the second device has not seen the move
    zone = g.share(0, p, bob=True)
    assert all(n.rows[zone, t[1]]['title'] == 'late' and len(n.rows) == 2 for n in g.nodes)
    g.set(2, (zone, t[1]), 'title', 'bob')
    u = g.insert(2, 'Task', title='u')
    g.set(2, u, 'project', (zone, p[1]))  # a private object gets an owner in the share
    g.sync()
    assert g.nodes[0].rows[zone, u[1]]['title'] == 'u' and u not in g.nodes[2].rows
    other = g.insert(0, 'Project', title='mine')
    g.set(0, (zone, t[1]), 'project', other)  # it leaves the share
    g.set(2, (zone, t[1]), 'title', 'too late')
    g.sync()
    assert g.nodes[1].rows['ann', t[1]]['title'] == 'bob' and (zone, t[1]) not in g.nodes[2].rows
    assert 'moved out of sight' in g.lost(2)
    g.set(2, (zone, p[1]), 'title', 'unsent')
    g.server.shares[zone]['members'] = {}
    g.sync()
    assert not g.nodes[2].rows and len(g.nodes[0].rows) == 4


def two_moves():
    g = Group('ann', 'ann')
    p, q, t = g.insert(0, 'Project', title='p'), g.insert(0, 'Project', title='q'), g.insert(0, 'Task', title='t')
    g.sync()
    b, c = g.share(0, p), g.share(0, q)
    g.set(0, t, 'project', (b, p[1]))
    g.set(1, t, 'project', (c, q[1]))
    requests = [g.nodes[i].push_request() for i in (0, 1)]
    assert g.server.push(**requests[0][0]) == 'taken' and g.server.push(**requests[1][0]) == 'moved'
    g.sync()
    places = [k[0] for k in g.nodes[0].rows if k[1] == t[1]]
    assert places == [c] and g.rows(0, 'Task') == g.rows(1, 'Task')  # the later owner, once


def programs():
    g = Group('ann', 'ann', schemas={1: OLD})
    p = g.insert(0, 'Project', title='p')
    label = g.insert(0, 'Label', text='l')
    g.set(0, p, 'labels', [label])
    t = g.insert(0, 'Task', title='t', priority=3, project=p)
    g.sync()
    g.set(1, t, 'name', 'renamed')
    g.sync()
    assert g.nodes[0].rows[t]['title'] == 'renamed' and g.nodes[0].rows[t]['priority'] == 3
    g.delete(1, p, t)  # the old program does not know that labels go with a project
    g.sync()
    assert label not in g.nodes[0].rows
    g.nodes[1].schema = NEW
    g.nodes[1].show()
    assert g.nodes[1].rows == g.nodes[0].rows


def ties():
    """Writes of one time: the order of values decides. It has to commute with a tombstone, which replaces values by null."""
    one = (5, 0, 1)
    values = [None, 3, 'text', ('asset', 'a'), ('ref', 'n', ''), ('ref', 'n', 'ann')]
    writes = [{('f', 'p'): (one, v)} for v in values] + [{'dead': (one, None)}]
    for a, b, c in itertools.permutations(writes, 3):
        assert join(join(join({}, a), b), c) == join(join(join({}, c), b), a) == join(join({}, a), join(join({}, b), c))


def away_for_long():
    g = Group('ann', 'ann')
    p, q = g.insert(0, 'Project', title='p'), g.insert(0, 'Project', title='q')
    g.sync()
    g.delete(0, p)
    g.insert(1, 'Task', title='t', project=p)
    g.set(1, q, 'title', 'unsent')
    g.sync(0)
    g.server.compact('ann', g.server.commit, g.server.commit)
    g.sync()
    assert g.nodes[0].rows == g.nodes[1].rows and g.nodes[0].rows[q]['title'] == 'unsent' and p not in g.nodes[0].rows
    assert [r['project'] for r in g.rows(0, 'Task').values()] == [None]  # it came a retention too late, and stays


if __name__ == '__main__':
    for case in (fields, deletion_wins, cascade, kept_child, nullify, lists, unique, shared, two_moves, programs, ties, away_for_long):
        case()
        print(case.__name__, 'holds')
