import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Machine } from '../../server/modules/machines.ts'
import type { SshConnections } from '../../server/hosts/ssh/connections.ts'
import { command, connectionsWith, never } from '../stage/hosts/ssh-stage.ts'
import { median, report } from '../stage/measure.ts'
import { startSshServer, type SshServer } from '../stage/servers/ssh-server.ts'
import { openFleet, typed } from '../stage/hosts/fleet-stage.ts'
import { startRawServer } from '../stage/hosts/odd-server.ts'
import { hand } from './figure.ts'
import { openSshPeer } from './ssh-peer.ts'

/** Machines over SSH, all of them this one: sshd on many addresses of the loopback. */
const ROUNDS = 40
const FEW = 50
const MANY = 100
const SILENT = 10

/** Addresses of one sshd. */
const EACH = 10

await using stack = new AsyncDisposableStack()
const servers: { server: SshServer; addresses: string[] }[] = []
for (let from = 1; from < MANY; from += EACH) {
  const addresses = Array.from({ length: EACH }, (_, at) => `127.0.0.${from + at}`)
  servers.push({ server: stack.use(await startSshServer({ addresses, keys: ['ed25519'] })), addresses })
}
const { server } = servers[0]!
const targets = servers.flatMap((each) =>
  each.addresses.map((address) => each.server.target({ host_id: address, name: address, address })),
)

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

async function medianOf(work: () => Promise<unknown>, rounds = ROUNDS): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < rounds + 3; i++) times.push(await timed(work))
  return median(times.slice(3))
}

function machinesOf(connections: SshConnections, count: number): Machine[] {
  return targets.slice(0, count).map((target) => connections.machineOf(target))
}

const ms = (value: number): string => `${value.toFixed(1)} ms`
const disks = (machine: Machine) =>
  machine.readFiles(['/proc/self/mountinfo', '/proc/loadavg'], { max: 100_000 }, never)

// One after the other, so that it is memory of connections and not of connecting; first of all, so that nothing was freed
// that they could take. What V8 and the allocator give back comes late on a busy machine: the size counts once it rests.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const RESTS = 64 * 1024
async function settled(): Promise<number> {
  let last = Infinity
  for (let calm = 0; calm < 3;) {
    collect()
    await pause(200)
    const { rss } = process.memoryUsage()
    calm = Math.abs(last - rss) <= RESTS ? calm + 1 : 0
    last = rss
  }
  return last
}
async function memoryOfConnection(): Promise<number> {
  await using memory = connectionsWith()
  for (const each of machinesOf(memory, 10)) for (let i = 0; i < 20; i++) await disks(each)
  const before = await settled()
  for (const each of machinesOf(memory, MANY).slice(10)) await disks(each)
  const after = await settled()
  if (after <= before)
    throw new Error(`Memory went from ${before} to ${after} bytes: that is no measure of connections.`)
  return (after - before) / (MANY - 10) / 1024
}
const each = await memoryOfConnection()

await using one = connectionsWith()
const target = server.target()
const cold = await medianOf(async () => {
  one.forget(target.host_id)
  await one.machineOf(target).run(command(['true']), never)
}, 15)
const machine = one.machineOf(target)
const exec = await medianOf(() => machine.run(command(['true']), never))
const read = await medianOf(() => disks(machine))
const processes = await medianOf(() =>
  machine.readEach('/proc', { numbers: true, files: ['stat', 'cmdline'], max: 4096 }, never),
)
const facts = await medianOf(async () => one.check(target, never), 15)

await using few = connectionsWith()
const connect = await timed(() => Promise.all(machinesOf(few, FEW).map(disks)))
const warm = await medianOf(() => Promise.all(machinesOf(few, FEW).map(disks)), 10)

// Beside them, OpenSSH's client, with one connection to each machine that is kept (ControlMaster).
await using peer = await openSshPeer(targets.slice(0, FEW))
const peerExec = await medianOf(() => peer.run(0, 'true'))
const peerWarm = await medianOf(() => peer.runAll('cat /proc/self/mountinfo /proc/loadavg'), 10)

// One table through the whole service: the tool is asked for by name, and nothing was connected before.
await using silent = await startRawServer((socket) => socket.resume())
await using fleet = await openFleet({ name: 'sqlite', url: () => Promise.resolve('') })
for (let at = 0; at < MANY; at++) await fleet.add(`machine-${at}`, ['fleet'], at < SILENT ? { port: silent.port } : {})
const some = await timed(async () => {
  const { tables } = await typed(fleet.admin, '/system.disks host=#fleet')
  const problems = tables[0]!.rows.filter(({ status }) => status !== 'done').length
  if (problems !== SILENT) throw new Error(`${problems} machines had problems`)
})

report('Machines over SSH on the loopback', {
  'connect, sign in, one command': ms(cold),
  'one command': ms(exec),
  'two files': ms(read),
  'all processes': ms(processes),
  'a check': ms(facts),
  [`${FEW} machines, connecting`]: ms(connect),
  [`${FEW} machines, connected`]: ms(warm),
  [`${MANY} machines, ${SILENT} of them silent, in one table`]: ms(some),
  'memory of a connection': `${each.toFixed(0)} KiB`,
  'OpenSSH beside it: one command': ms(peerExec),
  [`OpenSSH beside it: ${FEW} machines, connected`]: ms(peerWarm),
  'OpenSSH beside it: memory of a connection': `${peer.memory().toFixed(0)} KiB`,
})
hand(
  { figure: 'SSH: connect, sign in and run a command', value: cold, unit: 'ms' },
  { figure: 'SSH: run a command', value: exec, unit: 'ms', aim: '≤ 15' },
  { figure: 'SSH: read two files', value: read, unit: 'ms' },
  { figure: 'SSH: read all processes', value: processes, unit: 'ms' },
  { figure: `SSH: ${FEW} machines, connected`, value: warm, unit: 'ms', aim: '≤ 1000' },
  { figure: `SSH: ${MANY} machines, ${SILENT} silent, in one table`, value: some, unit: 'ms', aim: '≤ 20000' },
  { figure: 'SSH: memory of a connection', value: each, unit: 'KiB', aim: '≤ 256' },
  { figure: 'SSH: run a command, OpenSSH with ControlMaster', value: peerExec, unit: 'ms' },
  { figure: `SSH: ${FEW} machines, connected, OpenSSH with ControlMaster`, value: peerWarm, unit: 'ms' },
  { figure: 'SSH: memory of a connection, OpenSSH with ControlMaster', value: peer.memory(), unit: 'KiB' },
)
