import { monitorEventLoopDelay } from 'node:perf_hooks'
import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Histogram from 'prom-client/lib/histogram.js'
import Registry from 'prom-client/lib/registry.js'

/** Seconds; requests take from a tenth of a millisecond to minutes. */
const REQUEST_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]
const STATEMENT_BUCKETS = [0.0001, 0.0005, 0.0025, 0.01, 0.05, 0.25, 1, 5]
const ENGINE_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
/** Modules or models beyond this many are counted as `other`, so that labels never grow without bound. */
const LABELS = 200

/** Values that are read only when metrics are requested. */
export interface MetricSources {
  readonly version: string
  /** How many processes of the installation are at work. */
  processes(): Promise<number>
  /** Unfinished runs by status, and runs that ended since the last call, by outcome. */
  runs(): Promise<{ active: Readonly<Record<string, number>>; ended: Readonly<Record<string, number>> }>
  modules(): readonly { readonly name: string; readonly state: string }[]
  tableWorkers(): { readonly processes: number; readonly waiting: number }
  fileBytes(): Promise<number>
  openStreams(): number
  /** Passwords waiting to be checked. */
  passwordsWaiting(): number
  databaseBytes(): Promise<number>
  /** Bytes of the disk with the data folder. */
  disk(): Promise<{ readonly free: number; readonly total: number }>
  /** Nothing can be stored at present. */
  storageFull(): boolean
  /** Seconds; null: there has never been one. */
  backupAge(): Promise<number | null>
  /** Null if the system does not tell. */
  openFiles(): Promise<{ readonly open: number; readonly limit: number } | null>
}

/** Counts events and reports them in Prometheus's text format. Counting costs microseconds; see docs/operations.md. */
export class Metrics implements Disposable {
  readonly #registry = new Registry()
  // Sampled by a timer, it would wake an idle process 50 times a second. A Node 24 that doesn't know this option does.
  readonly #delay = monitorEventLoopDelay({ samplePerIteration: true, resolution: 20 })
  readonly #known = new Map<string, Set<string>>()
  readonly #requests: Histogram
  readonly #statements: Histogram
  readonly #calls: Histogram
  readonly #firstPiece: Histogram
  readonly #tokens: Counter
  readonly #steps: Counter
  readonly #ended: Counter

  constructor() {
    this.#requests = this.#histogram('http_request_seconds', 'Time to answer a request.', REQUEST_BUCKETS, [
      'method',
      'route',
      'status',
    ])
    this.#statements = this.#histogram(
      'database_statement_seconds',
      'Time of a database statement.',
      STATEMENT_BUCKETS,
      [],
    )
    this.#calls = this.#histogram('tool_call_seconds', 'Time of a tool call.', ENGINE_BUCKETS, ['module', 'outcome'])
    this.#firstPiece = this.#histogram(
      'engine_first_piece_seconds',
      'Time until the first piece of an answer of the AI engine.',
      ENGINE_BUCKETS,
      ['model'],
    )
    this.#tokens = this.#counter('engine_tokens_total', 'Tokens, as the AI engine counts them.', ['model', 'kind'])
    this.#steps = this.#counter('engine_steps_total', 'Requests to the AI engine.', ['model', 'outcome'])
    this.#ended = this.#counter(
      'runs_ended_total',
      'Runs that ended, of the whole installation, since this process started.',
      ['outcome'],
    )
    this.#process()
    this.#delay.enable()
  }

  /** `route` is the path as declared in the contract, never the address. */
  request(method: string, route: string, status: number, ms: number): void {
    this.#requests.labels(method, route, String(status)).observe(ms / 1000)
  }

  statement(ms: number): void {
    this.#statements.observe(ms / 1000)
  }

  toolCall(module: string, outcome: string, ms: number): void {
    this.#calls.labels(this.#bounded('module', module), outcome).observe(ms / 1000)
  }

  /** `firstMs` is null if there was no output. */
  engineStep(name: string, outcome: string, firstMs: number | null, tokens: { input: number; output: number }): void {
    const model = this.#bounded('model', name)
    this.#steps.labels(model, outcome).inc()
    if (firstMs !== null) this.#firstPiece.labels(model).observe(firstMs / 1000)
    if (tokens.input > 0) this.#tokens.labels(model, 'input').inc(tokens.input)
    if (tokens.output > 0) this.#tokens.labels(model, 'output').inc(tokens.output)
  }

  /** To be called once all sources exist. */
  watch(sources: MetricSources): void {
    this.#gauge('info', 'The running version.', ['version'], (gauge) => gauge.labels(sources.version).set(1))
    this.#gauge('processes', 'Processes of the whole installation that were heard of lately.', [], async (gauge) =>
      gauge.set(await sources.processes()),
    )
    const active = this.#gauge(
      'runs_active',
      'Unfinished runs of the whole installation.',
      ['status'],
      async (gauge) => {
        const runs = await sources.runs()
        gauge.reset()
        for (const [status, count] of Object.entries(runs.active)) active.labels(status).set(count)
        for (const [outcome, count] of Object.entries(runs.ended)) this.#ended.labels(outcome).inc(count)
      },
    )
    this.#gauge('module_state', '1 for the state that a module is in.', ['module', 'state'], (gauge) => {
      gauge.reset()
      for (const { name, state } of sources.modules()) gauge.labels(name, state).set(1)
    })
    this.#gauge('table_workers', 'Processes that read tables.', [], (gauge) =>
      gauge.set(sources.tableWorkers().processes),
    )
    this.#gauge('table_jobs_waiting', 'Jobs waiting for a process that reads tables.', [], (gauge) =>
      gauge.set(sources.tableWorkers().waiting),
    )
    this.#gauge('stored_file_bytes', 'Bytes of stored files.', [], async (gauge) =>
      gauge.set(await sources.fileBytes()),
    )
    this.#gauge('event_streams', 'Open event streams.', [], (gauge) => gauge.set(sources.openStreams()))
    this.#gauge('passwords_waiting', 'Passwords waiting to be checked.', [], (gauge) =>
      gauge.set(sources.passwordsWaiting()),
    )
    this.#watchStorage(sources)
  }

  #watchStorage(sources: MetricSources): void {
    this.#gauge('database_bytes', 'Disk space used by the database.', [], async (gauge) =>
      gauge.set(await sources.databaseBytes()),
    )
    this.#gauge('disk_bytes', 'Size of the disk with the data folder.', [], async (gauge) =>
      gauge.set((await sources.disk()).total),
    )
    this.#gauge('disk_free_bytes', 'Free space on the disk with the data folder.', [], async (gauge) =>
      gauge.set((await sources.disk()).free),
    )
    this.#gauge('storage_full', '1 while nothing can be stored for want of room.', [], (gauge) =>
      gauge.set(sources.storageFull() ? 1 : 0),
    )
    this.#gauge('backup_age_seconds', 'Time since the last backup; missing until there is one.', [], async (gauge) => {
      setOrLeaveOut(gauge, await sources.backupAge())
    })
    this.#gauge('open_files', 'Files and connections that this process has open.', [], async (gauge) =>
      setOrLeaveOut(gauge, (await sources.openFiles())?.open ?? null),
    )
    this.#gauge('open_files_limit', 'Files and connections that this process may have open.', [], async (gauge) =>
      setOrLeaveOut(gauge, (await sources.openFiles())?.limit ?? null),
    )
  }

  /** The metrics in Prometheus's text format, version 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  [Symbol.dispose](): void {
    this.#delay.disable()
  }

  #bounded(label: string, value: string): string {
    const known = this.#known.get(label) ?? new Set()
    this.#known.set(label, known)
    if (!known.has(value) && known.size >= LABELS) return 'other'
    known.add(value)
    return value
  }

  #process(): void {
    this.#gauge('event_loop_delay_seconds', 'Event loop lag since the last scrape.', ['percentile'], (gauge) => {
      gauge.labels('50').set(this.#delay.percentile(50) / 1e9)
      gauge.labels('99').set(this.#delay.percentile(99) / 1e9)
      gauge.labels('100').set(this.#delay.max / 1e9)
      this.#delay.reset()
    })
    this.#gauge('memory_bytes', 'Memory of this process.', ['kind'], (gauge) => {
      const { rss, heapUsed, external } = process.memoryUsage()
      gauge.labels('resident').set(rss)
      gauge.labels('heap').set(heapUsed)
      gauge.labels('external').set(external)
    })
    const told = { user: 0, system: 0 }
    new Counter({
      name: 'reeve_cpu_seconds_total',
      help: 'Processor time of this process.',
      labelNames: ['kind'],
      registers: [this.#registry],
      collect() {
        const used = process.cpuUsage()
        for (const kind of ['user', 'system'] as const) {
          this.labels(kind).inc(Math.max(0, used[kind] - told[kind]) / 1e6)
          told[kind] = used[kind]
        }
      },
    })
    this.#gauge('uptime_seconds', 'Time since this process started.', [], (gauge) => gauge.set(process.uptime()))
  }

  #histogram(name: string, help: string, buckets: number[], labelNames: string[]): Histogram {
    return new Histogram({ name: `reeve_${name}`, help, buckets, labelNames, registers: [this.#registry] })
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name: `reeve_${name}`, help, labelNames, registers: [this.#registry] })
  }

  #gauge(name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => void | Promise<void>): Gauge {
    return new Gauge({
      name: `reeve_${name}`,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        return collect(this)
      },
    })
  }
}

/** An unknown value yields no sample, rather than 0. */
function setOrLeaveOut(gauge: Gauge, value: number | null): void {
  if (value === null) gauge.remove()
  else gauge.set(value)
}
