import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '../../contract/index.ts'
import { runCommand } from '../stage/command-line.ts'
import { PASSWORD } from '../stage/people.ts'
import { Acknowledged } from './acknowledged.ts'
import { AdminTraffic, FLEETING, rulesOfWorkers } from './admin-traffic.ts'
import { awaitRest, checkEnd, type Outcome } from './check-end.ts'
import { checkRequests, type LongestWait } from './check-requests.ts'
import { FaultDriver, planFaults } from './faults.ts'
import { History, type FaultEntry, type Violation } from './history.ts'
import { Ledger } from './ledger.ts'
import { canStandApart, openCluster, type Cluster } from './open-cluster.ts'
import { Person } from './person.ts'
import { seeded } from './random.ts'
import { switchProbe } from './probe-switch.ts'
import { Reader } from './reader.ts'
import { startEngine } from './scripted-engine.ts'
import { UserTraffic } from './user-traffic.ts'
import { query, watchRuns } from './watch-runs.ts'

export interface ClusterRun {
  readonly seed: string
  readonly processes: number
  /** How many faults at most … */
  readonly faults: number
  /** … and for how many milliseconds. */
  readonly lasts: number
  /** The middle of the pauses between the beginnings of two, in milliseconds. */
  readonly pace: number
  /** How long one fault lasts at most. */
  readonly longest: number
  readonly users: number
  /** Keeps the work folder, violations or not. */
  readonly keep: boolean
  say(line: string): void
}

export interface ClusterReport {
  readonly violations: readonly Violation[]
  readonly faults: readonly FaultEntry[]
  readonly requests: number
  readonly longest: readonly LongestWait[]
  /** Effects in the ledger, and messages that were acknowledged. */
  readonly effects: number
  readonly messages: number
  readonly events: number
  /** Where history and logs are; null when they were removed. */
  readonly folder: string | null
}

/**
 * Real replicas under traffic and faults, and what must hold whatever happens. Cleans up; ends within a few minutes of
 * `lasts`. `tamper` damages what is there before it is checked: for tests of the checks.
 */
export async function runCluster(
  run: ClusterRun,
  tamper: (outcome: Outcome) => Promise<void> = () => Promise.resolve(),
): Promise<ClusterReport> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-cluster-'))
  const history = new History(folder)
  history.note('run', { ...run, say: undefined })
  const known = new Acknowledged()
  const ledger = new Ledger(folder)
  const random = seeded(run.seed)
  const counts = { events: 0 }
  {
    await using engine = await startEngine(ledger)
    await using cluster = await openCluster({
      processes: run.processes,
      folder,
      model: engine,
      checked: true,
      apart: canStandApart(),
      tell: (replica, ready, status) => history.note('balancer', { replica, ready, status }),
    })
    run.say(`${run.processes} replicas are ready`)
    const admin = new Person('admin', cluster.balancer.url, history, '10.0.0.1')
    const { users, administrator, role_id } = await prepare(cluster, admin, run, known, ledger)
    const readers = await Promise.all(
      [admin, ...users.map(({ person }) => person)].map(async (person) => {
        const reader = new Reader(person, random.child(`reader ${person.name}`))
        await reader.begin()
        return { person, reader }
      }),
    )
    const plan = planFaults(random.child('faults'), {
      count: run.faults,
      processes: run.processes,
      pace: run.pace,
      longest: run.longest,
    })
    const traffic = new AbortController()
    const faults = new AbortController()
    const watching = watchRuns(cluster.databaseUrl, history, traffic.signal)
    const caller = new Person('prober', cluster.balancer.url, history, '10.0.0.2')
    await admin.ask('create user', contract.accounts.createUser, {
      body: { username: caller.name, password: PASSWORD, role_id },
    })
    await caller.signIn()
    const driver = new FaultDriver(cluster, history, switchProbe(admin, caller, known))
    const limit = setTimeout(() => faults.abort(), run.lasts)
    const telling = setInterval(() => {
      const { requests, violations } = history
      run.say(`${driver.done} of ${run.faults} faults, ${requests.length} requests, ${violations.length} violations`)
    }, 15_000)
    const working = Promise.all([...users, administrator].map((each) => each.run(traffic.signal)))
    await sleep(1000)
    await driver.run(plan, faults.signal)
    clearTimeout(limit)
    // A while in which nothing is wrong: what was hit must be well again.
    await sleep(3000)
    traffic.abort()
    await Promise.all([working, watching])
    clearInterval(telling)
    run.say('everything is mended; checking')
    const outcome = { databaseUrl: cluster.databaseUrl, history, known, ledger, users, readers }
    await awaitRest(outcome)
    await tamper(outcome)
    await checkEnd(outcome)
    counts.events = readers.reduce((sum, { reader }) => sum + reader.ids.length, 0)
    await verify(cluster, history, folder)
    await stopAll(cluster, history)
  }
  await checkLeftovers(folder, history)
  const longest = checkRequests(
    history,
    Array.from({ length: run.processes }, (_, i) => i + 1),
  )
  const effects = ledger.read().length
  await history.close()
  const keep = run.keep || history.violations.length > 0
  if (!keep) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  return {
    violations: history.violations,
    faults: history.faults,
    requests: history.requests.length,
    longest,
    effects,
    messages: [...known.messages.values()].filter(({ acknowledged }) => acknowledged).length,
    events: counts.events,
    folder: keep ? folder : null,
  }
}

/** Makes the people, their role and the modules. */
async function prepare(cluster: Cluster, admin: Person, run: ClusterRun, known: Acknowledged, ledger: Ledger) {
  const random = seeded(run.seed)
  await admin.signIn()
  const own = { name: 'workers', rules: [] }
  const { role } = await admin.ask('create role', contract.accounts.createRole, { body: own })
  const { role_id } = role
  const bundle = await ledger.bundle(FLEETING)
  const administrator = new AdminTraffic(admin, random.child('admin'), known, role_id, bundle)
  for (const [name, bytes] of [
    ['ledger', await ledger.bundle('ledger')],
    [FLEETING, bundle],
  ] as const) {
    await administrator.install(name, bytes)
    await admin.ask('enable', contract.modules.enable, { params: { module_name: name } })
  }
  const body = { rules: rulesOfWorkers('allow') }
  await admin.ask('rule', contract.accounts.updateRole, { params: { role_id }, body })
  const users: UserTraffic[] = []
  for (let i = 1; i <= run.users; i++) {
    const username = `user${i}`
    await admin.ask('create user', contract.accounts.createUser, { body: { username, password: PASSWORD, role_id } })
    const person = new Person(username, cluster.balancer.url, admin.history, `10.0.1.${i}`)
    await person.signIn()
    users.push(new UserTraffic(person, i, random.child(username), known))
  }
  return { users, administrator, role_id }
}

async function verify(cluster: Cluster, history: History, folder: string): Promise<void> {
  const env = { ...cluster.env, REEVE_DATA_DIR: join(folder, 'replica-1') }
  for (const words of [['verify'], ['audit', 'verify']]) {
    const { code, stdout, stderr } = await runCommand(env, words)
    if (code !== 0)
      history.violation(`reeve ${words.join(' ')} is clean`, `code ${code}: ${(stdout + stderr).slice(-1500)}`)
  }
}

/** All at once, as before a maintenance: each ends in good order, and leaves no connection. */
async function stopAll({ replicas, databaseUrl }: Cluster, history: History): Promise<void> {
  await Promise.all(
    replicas.map(async (replica) => {
      const killing = setTimeout(() => void replica.end('SIGKILL'), 60_000)
      const code = await replica.end('SIGTERM')
      clearTimeout(killing)
      if (code !== 0)
        history.violation('a replica ends in good order', `${replica.name}: code ${code}\n${replica.lastWords}`)
    }),
  )
  const end = performance.now() + 5000
  const count = async (): Promise<number> => {
    const sql = `select count(*)::int as count from pg_stat_activity
      where backend_type = 'client backend' and application_name <> 'cluster test'`
    return (await query<{ count: number }>(databaseUrl, sql))[0]!.count
  }
  while ((await count()) > 0) {
    if (performance.now() > end)
      return history.violation('no connection is left', `${await count()} connections to the database`)
    await sleep(100)
  }
}

/** No process that had to do with this run is left. */
async function checkLeftovers(folder: string, history: History): Promise<void> {
  const find = async (): Promise<string[]> => {
    const found: string[] = []
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (command.includes(folder)) found.push(`${pid}: ${command.replaceAll('\0', ' ').slice(0, 200)}`)
    }
    return found
  }
  const end = performance.now() + 10_000
  for (;;) {
    const found = await find()
    if (found.length === 0) return
    if (performance.now() > end) return history.violation('no process is left', found.join('\n'))
    await sleep(200)
  }
}
