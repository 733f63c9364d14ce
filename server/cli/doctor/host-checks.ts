import { LOCAL_HOST } from '../../../contract/host-values.ts'
import { type KnownHost, readHosts } from '../../hosts/host-rows.ts'
import { HELPER, readHelperFiles, sha256 } from '../../hosts/reeve-op/shipped-files.ts'
import { shownKey } from '../../hosts/shown-key.ts'
import { openConnections, type SshConnections } from '../../hosts/ssh/connections.ts'
import type { HostTarget } from '../../hosts/ssh/target.ts'
import { SshKeys } from '../../hosts/ssh-keys.ts'
import { openTarget } from '../../hosts/targets.ts'
import type { FileRead, Machine } from '../../modules/machines.ts'
import type { Place } from '../open-place.ts'
import { placeVault } from '../place-vault.ts'
import { attempt, type Check, fail, ok, warn } from './check.ts'
import { type AskedHelper, hello, refusals } from './helper-checks.ts'

const AT_ONCE = 16
const HOST_MS = 120_000
/** Certificates, one-time passwords and the order of log entries begin to suffer. */
const CLOCK_TOLERANCE = 5000
const SCRIPT = 'Run its setup script there again (Administration → Machines).'
const KEYS = '/var/lib/reeve-ssh/reeve-op/.ssh/authorized_keys'
/** What belongs to root alone, and its mode where only one is right. What is in a folder of root's cannot be seen. */
const PARTS: ReadonlyMap<string, string | null> = new Map([
  [HELPER.program, '755'],
  [HELPER.list, null],
  [HELPER.state, '700'],
  [KEYS, null],
])

/** Every machine that is reached over SSH: whether it is the pinned one and lets Reeve in, its clock, its reeve-op. */
export async function hostChecks(place: Place): Promise<Check[]> {
  const { db } = place
  const all = await readHosts(db.read)
  const others = [...all.values()].filter(({ host_id }) => host_id !== LOCAL_HOST)
  if (others.length === 0) return [ok('machines', 'There is none but this one.')]
  const keys = new SshKeys({ db, vault: await placeVault(place), audit: NOTHING_TO_AUDIT })
  await using connections = openConnections({ keys: () => keys.open() })
  const found: Check[][] = []
  const waiting = others.entries()
  const worker = async (): Promise<void> => {
    for (const [at, host] of waiting) found[at] = await checksOf(host, openTarget(all, host.host_id), connections)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return found.flat()
}

/** The doctor changes nothing. */
const NOTHING_TO_AUDIT = { record: () => Promise.reject(new Error('Nothing is to be changed.')) }

async function checksOf(host: KnownHost, target: HostTarget | null, connections: SshConnections): Promise<Check[]> {
  const { name, host_key } = host
  if (target === null) return [ok(name, 'It, or one on the way to it, is disabled: nothing connects to it.')]
  if (host_key === null)
    return [fail(name, 'No host key is pinned, so nothing signs in.', 'Administration → Machines → set it up.')]
  const signal = AbortSignal.timeout(HOST_MS)
  const { state, message, latency_ms, facts, offered_key } = await connections.check(target, signal)
  const pinned = `Pinned is ${shownKey(host_key).fingerprint}`
  if (state === 'key_changed') {
    const offered = offered_key === null ? 'another key' : shownKey(offered_key).fingerprint
    return [fail(name, `${pinned}; it shows ${offered}.`, 'Compare on the machine itself; docs/hosts.md says how.')]
  }
  if (state !== 'ok' || facts === null) return [fail(name, message, 'docs/hosts.md, “When a state is not OK”.')]
  const { offset_ms } = facts.clock
  const seconds = Math.round(Math.abs(offset_ms) / 1000)
  const clock = `Its clock is ${seconds} seconds ${offset_ms > 0 ? 'ahead of' : 'behind'} this machine's.`
  return [
    ok(name, `${pinned}, and it shows that; it answers in ${latency_ms} ms.`),
    Math.abs(offset_ms) < CLOCK_TOLERANCE
      ? ok(`${name} clock`, 'It agrees with that of this machine.')
      : warn(`${name} clock`, clock, 'Set both clocks (timedatectl).'),
    ...(await helperOf(name, connections, target, signal)),
  ]
}

async function helperOf(
  name: string,
  connections: SshConnections,
  target: HostTarget,
  signal: AbortSignal,
): Promise<Check[]> {
  const machine = connections.machineOf(target)
  const files = await machine.readFiles([HELPER.program], { max: 1 << 20 }, signal)
  const program = files.get(HELPER.program) ?? 'missing'
  if (program === 'missing')
    return [ok(`${name} helper`, 'It is not installed: nothing can be changed there as root. The setup script does.')]
  const open = `${SCRIPT} The rule of sudo or doas, and the key of the account reeve-op, are its work.`
  const door = connections.doorOf(target, 'again')
  const helper: AskedHelper = { door, name: `${name} helper`, install: SCRIPT, open }
  const reached = await attempt(helper.name, open, () => hello(helper))
  return [
    await attempt(`${name} helper files`, SCRIPT, () => filesOf(name, machine, program, signal)),
    reached,
    ...(reached.status === 'fail'
      ? []
      : [await attempt(`${name} helper refuses`, `${SCRIPT} At once.`, () => refusals(helper))]),
  ]
}

async function filesOf(host: string, machine: Machine, program: FileRead, signal: AbortSignal): Promise<Check> {
  const name = `${host} helper files`
  const shipped = sha256((await readHelperFiles()).program)
  const hash = typeof program === 'string' ? null : sha256(program.bytes)
  const wrong = hash === shipped ? [] : [`${HELPER.program} is not as this version ships it.`]
  const argv = ['stat', '-c', '%u %a %n', ...PARTS.keys()] as const
  const seen = await machine.run({ argv: [...argv], deadline_ms: 15_000, max_bytes: 64 * 1024 }, signal)
  if (seen.kind !== 'ended') return fail(name, 'Owners and modes could not be read.', SCRIPT)
  const lines = new Map(seen.stdout.split('\n').map((line) => [line.split(' ').slice(2).join(' '), line.split(' ')]))
  for (const [path, mode] of PARTS) {
    const [uid, is = ''] = lines.get(path) ?? []
    if (uid === undefined) wrong.push(`${path} is missing.`)
    else if (uid !== '0') wrong.push(`${path} does not belong to root.`)
    else if (mode === null ? /[2367].?$/.test(is) : is !== mode) wrong.push(`${path} has the mode ${is}.`)
  }
  return wrong.length === 0
    ? ok(name, 'Its files belong to root alone, and are as this version ships them.')
    : fail(name, wrong.join(' '), SCRIPT)
}
