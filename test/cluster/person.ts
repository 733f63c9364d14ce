import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '../../contract/index.ts'
import type { Route } from '../../contract/route.ts'
import { ProblemAnswer, TestClient, type CallInput, type CallOutput } from '../stage/client.ts'
import { PASSWORD } from '../stage/people.ts'
import { ANSWERED_BY } from './balancer.ts'
import type { History, RequestEntry } from './history.ts'

/** As long as a client waits for an answer. */
const PATIENCE_MS = 20_000
const PAUSE_MS = 250

/** Nobody knows whether it happened: the answer did not come, or said 503. */
export class Unanswered extends Error {}

interface Seen {
  replica: number | null
  /** The balancer answered. */
  away: boolean
}

class CountedClient extends TestClient {
  readonly seen = new Map<string, Seen>()

  override async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await super.fetch(path, init)
    const number = new Headers(init.headers).get('x-cluster-request')
    const by = response.headers.get(ANSWERED_BY)
    const away = response.headers.has('x-cluster-away')
    if (number !== null) this.seen.set(number, { replica: by === null || by === 'none' ? null : Number(by), away })
    if (away) throw new Unanswered(`${response.status}: ${response.headers.get('x-cluster-away')}`)
    return response
  }
}

export interface AskOptions {
  /** Doing it twice is the same as doing it once, so it is asked again until there is an answer, this long. */
  readonly againFor?: number
  readonly headers?: Record<string, string>
}

let requests = 0

/** Somebody with a browser: every request and its outcome is in the history. */
export class Person {
  readonly name: string
  readonly client: TestClient
  readonly history: History
  readonly #client: CountedClient
  readonly #address: string

  constructor(name: string, url: string, history: History, address: string) {
    this.name = name
    this.history = history
    this.#client = new CountedClient(() => url)
    this.client = this.#client
    this.#address = address
  }

  /** @throws {Unanswered} when it is unknown whether it happened. @throws {ProblemAnswer} when it was refused. */
  async ask<R extends Route>(
    kind: string,
    route: R,
    input: CallInput<R>,
    { againFor = 0, headers = {} }: AskOptions = {},
  ): Promise<CallOutput<R>> {
    const end = performance.now() + againFor
    for (;;) {
      try {
        return await this.#once(kind, route, input, headers)
      } catch (error) {
        if (!(error instanceof Unanswered) || performance.now() > end) throw error
        await sleep(PAUSE_MS)
      }
    }
  }

  async #once<R extends Route>(
    kind: string,
    route: R,
    input: CallInput<R>,
    headers: Record<string, string>,
  ): Promise<CallOutput<R>> {
    const number = String(++requests)
    const given = input as { headers?: Record<string, string> }
    const all = { ...given.headers, ...headers, 'x-cluster-request': number, 'x-forwarded-for': this.#address }
    const at = this.history.now()
    const tell = (outcome: RequestEntry['outcome'], answer?: ProblemAnswer): void => {
      const seen = this.#client.seen.get(number)
      this.#client.seen.delete(number)
      this.history.request({
        at,
        by: this.name,
        kind,
        replica: seen?.replica ?? null,
        outcome: seen?.away === true && seen.replica === null ? 'none' : outcome,
        status: answer?.status ?? null,
        code: answer?.code ?? null,
        retryAfter: answer?.response.headers.has('retry-after') ?? false,
        ms: this.history.now() - at,
      })
    }
    const patience = AbortSignal.timeout(PATIENCE_MS)
    try {
      const whole = { ...given, headers: all, signal: patience } as never
      const answer = await this.#client.call(route, ...([whole] as never))
      tell('ok')
      return answer
    } catch (error) {
      if (error instanceof ProblemAnswer) {
        tell('refused', error)
        if (error.status === 503 || error.status === 500) throw new Unanswered(error.message, { cause: error })
        throw error
      }
      tell(patience.aborted ? 'late' : 'cut')
      // A check of the contract that fails is a finding, not a network that broke.
      if (error instanceof Error && error.name === 'ZodError')
        this.history.violation('answers follow the contract', `${kind}: ${error.message.slice(0, 500)}`)
      throw new Unanswered(String(error), { cause: error })
    }
  }

  async signIn(againFor = 60_000): Promise<void> {
    const body = { username: this.name, password: PASSWORD }
    const { csrf_token } = await this.ask('sign in', contract.accounts.login, { body }, { againFor })
    this.client.csrfToken = csrf_token
  }
}
