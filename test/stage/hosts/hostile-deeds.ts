import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'

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
/** What is done to whoever connects. */
export const BEFORE = {
  'says nothing': (socket: Socket) => socket.resume(),
  'greets without an end': (socket: Socket) => flood(socket, Buffer.from('hello there\r\n'.repeat(1000))),
  'greets in one endless line': (socket: Socket) => flood(socket, Buffer.alloc(16_384, 'x')),
  'greets byte by byte': (socket: Socket) => {
    const more = () => socket.writable && socket.write('x', () => setImmediate(more))
    more()
  },
  'talks about something else': (socket: Socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'announces a packet of 2 GiB': (socket: Socket) => {
    socket.write(IDENT)
    socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff, 4, 20]))
    flood(socket, Buffer.alloc(16_384))
  },
  'sends garbage': (socket: Socket) => {
    socket.write(IDENT)
    flood(socket, Buffer.from(Array.from({ length: 10_000 }, (_, at) => (at * 31) & 255)))
  },
  'repeats packets that mean nothing': (socket: Socket) => {
    socket.write(IDENT)
    // SSH_MSG_IGNORE, with a string of four bytes.
    flood(socket, Buffer.from([0, 0, 0, 12, 2, 2, 0, 0, 0, 4, 1, 2, 3, 4, 0, 0]))
  },
  'ends at once': (socket: Socket) => socket.end(),
} satisfies Record<string, (socket: Socket) => void>

type OnExec = (channel: ServerChannel, marker: Promise<string>) => void
const begins =
  (then: (channel: ServerChannel) => void, word = '4711'): OnExec =>
  (channel, marker) =>
    void marker.then((marker_) => {
      channel.write(`${marker_} ${word}\n`)
      then(channel)
    })
const MANY = Buffer.alloc(65_536, 'lots of it\n')

/** What is done to whoever has signed in and asks for a program. */
export const AFTER = {
  'says nothing': () => undefined,
  'begins and says nothing more': begins(() => undefined),
  'ends without an exit status': begins((channel) => channel.end()),
  'talks before it begins, without an end': (channel) => flood(channel, MANY),
  'sends errors without an end': begins((channel) => flood(channel.stderr, MANY)),
  'sends output without an end': begins((channel) => flood(channel, MANY)),
  'names a process that is none': begins(() => undefined, '-1'),
  'names a process with a script in it': begins(() => undefined, '1; reboot'),
  'says that it ended well without having begun': (channel) => {
    channel.exit(0)
    channel.end()
  },
  'ends the connection': (channel) => (channel as unknown as { _client: { end(): void } })._client.end(),
  'lies about files': begins((channel) => {
    channel.write('\n00000000000000000000000000000000 ok\nroot:x:0:0::/:/bin/sh\n')
    channel.exit(0)
    channel.end()
  }),
} satisfies Record<string, OnExec>
