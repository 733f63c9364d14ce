import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'
import { describe, expect, test } from 'vitest'
import type { SshLimits } from '../server/hosts/ssh/target.ts'
import type { Machine, Outcome } from '../server/modules/machines.ts'
import { startOddServer, startRawServer, type OddServer } from './stage/hosts/odd-server.ts'
import { command, connectionsWith, never } from './stage/hosts/ssh-stage.ts'

/** Short enough that every deed ends in a test; what they are otherwise, the tests of keys and of lost connections show. */
const LIMITS: Partial<SshLimits> = { connect: 1500, answer: 1500, grace: 200, give_up: 800 }
/** The hostile machine is in this process, too, with buffers of its own: half of it is Reeve's. */
const MOST_MEMORY = 100 * 1024 * 1024

/** What memory grew by at most while something went on. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss
  let most = before
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20)
  await work()
  clearInterval(timer)
  return most - before
}

/** Writes the same again and again, as fast as it is taken. */
function flood(
  stream: { write(text: Buffer): boolean; once(event: string, then: () => void): unknown; writable: boolean },
  text: Buffer,
): void {
  const more = () => {
    while (stream.writable && stream.write(text));
    if (stream.writable) stream.once('drain', more)
  }
  more()
}

const IDENT = 'SSH-2.0-odd\r\n'
const BEFORE: Record<string, (socket: Socket) => void> = {
  'says nothing': (socket) => socket.resume(),
  'greets without an end': (socket) => flood(socket, Buffer.from('hello there\r\n'.repeat(1000))),
  'greets in one endless line': (socket) => flood(socket, Buffer.alloc(16_384, 'x')),
  'greets byte by byte': (socket) => {
    const more = () => socket.writable && socket.write('x', () => setImmediate(more))
    more()
  },
  'talks about something else': (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'announces a packet of 2 GiB': (socket) => {
    socket.write(IDENT)
    socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff, 4, 20]))
    flood(socket, Buffer.alloc(16_384))
  },
  'sends garbage': (socket) => {
    socket.write(IDENT)
    flood(socket, Buffer.from(Array.from({ length: 10_000 }, (_, at) => (at * 31) & 255)))
  },
  'repeats packets that mean nothing': (socket) => {
    socket.write(IDENT)
    // SSH_MSG_IGNORE, with a string of four bytes.
    flood(socket, Buffer.from([0, 0, 0, 12, 2, 2, 0, 0, 0, 4, 1, 2, 3, 4, 0, 0]))
  },
  'ends at once': (socket) => socket.end(),
}

describe('a machine that', () => {
  test.each(Object.entries(BEFORE))('%s is unreachable, in time and in little memory', async (_deed, onSocket) => {
    await using server = await startRawServer(onSocket)
    await using connections = connectionsWith(LIMITS)
    const grown = await growth(async () => {
      expect(await connections.check(server.target(), never)).toMatchObject({ state: 'unreachable', facts: null })
    })
    expect(grown).toBeLessThan(MOST_MEMORY)
  })
})

type OnExec = (channel: ServerChannel, marker: Promise<string>) => void
const begins =
  (then: (channel: ServerChannel) => void, word = '4711'): OnExec =>
  (channel, marker) =>
    void marker.then((marker_) => {
      channel.write(`${marker_} ${word}\n`)
      then(channel)
    })
const MANY = Buffer.alloc(65_536, 'lots of it\n')

/** Deed → what a command's outcome is. A question is never answered. */
const AFTER: Record<string, [OnExec, Partial<Outcome> & { kind: Outcome['kind'] }]> = {
  'says nothing': [() => undefined, { kind: 'lost', lost: 'unknown' }],
  'begins and says nothing more': [begins(() => undefined), { kind: 'lost', lost: 'unknown' }],
  'ends without an exit status': [begins((channel) => channel.end()), { kind: 'lost', lost: 'unknown' }],
  'talks before it begins, without an end': [(channel) => flood(channel, MANY), { kind: 'lost', lost: 'unknown' }],
  'sends errors without an end': [begins((channel) => flood(channel.stderr, MANY)), { kind: 'lost', lost: 'unknown' }],
  'sends output without an end': [begins((channel) => flood(channel, MANY)), { kind: 'lost', lost: 'unknown' }],
  'names a process that is none': [begins(() => undefined, '-1'), { kind: 'lost', lost: 'unknown' }],
  'names a process with a script in it': [begins(() => undefined, '1; reboot'), { kind: 'lost', lost: 'unknown' }],
  'says that it ended well without having begun': [
    (channel) => {
      channel.exit(0)
      channel.end()
    },
    { kind: 'refused', why: 'other' },
  ],
  'ends the connection': [
    (channel) => (channel as unknown as { _client: { end(): void } })._client.end(),
    { kind: 'lost' },
  ],
}

describe('once signed in, a machine that', () => {
  test.each(Object.entries(AFTER))(
    '%s: nothing waits for it, and nothing counts as done',
    async (_deed, [onExec, expected]) => {
      await using server: OddServer = await startOddServer({ onExec })
      await using connections = connectionsWith(LIMITS)
      const machine: Machine = connections.machineOf(server.target())
      const grown = await growth(async () => {
        expect(await machine.run(command(['true'], { deadline_ms: 500 }), never)).toMatchObject(expected)
        await expect(machine.addresses(never)).rejects.toHaveProperty('name', 'MachineUnreachable')
        const written = await machine.write('/tmp/x', Buffer.alloc(100), { if_hash: null }, never)
        expect(written.kind).not.toBe('written')
      })
      expect(grown).toBeLessThan(MOST_MEMORY)
    },
  )

  test('lies about files gets nothing but its own lies', async () => {
    await using server = await startOddServer({
      onExec: begins((channel) => {
        channel.write('\n00000000000000000000000000000000 ok\nroot:x:0:0::/:/bin/sh\n')
        channel.exit(0)
        channel.end()
      }),
    })
    await using connections = connectionsWith(LIMITS)
    const machine = connections.machineOf(server.target())
    const read = await machine.readFiles(['/etc/passwd', '/etc/hosts'], { max: 1000 }, never)
    expect([...read]).toEqual([
      ['/etc/passwd', 'failed'],
      ['/etc/hosts', 'failed'],
    ])
    expect(await machine.readEach('/proc', { files: ['stat'], max: 100 }, never)).toEqual([])
    expect(await machine.write('/tmp/x', Buffer.from('x'), { if_hash: null }, never)).toMatchObject({
      kind: 'lost',
      lost: 'unknown',
    })
    expect(await machine.facts(never)).toMatchObject({ package_manager: null, account: { uid: -1 }, boot_id: null })
  })

  test('refuses channels is told so', async () => {
    await using server = await startOddServer({
      onConnection: (connection) => connection.on('session', (_accept, reject) => reject()),
    })
    await using connections = connectionsWith(LIMITS)
    const machine = connections.machineOf(server.target())
    expect(await machine.run(command(['true']), never)).toMatchObject({ kind: 'lost', lost: 'not_started' })
    await expect(machine.addresses(never)).rejects.toMatchObject({ state: 'unreachable' })
  })
})
