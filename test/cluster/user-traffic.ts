import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '../../contract/index.ts'
import { ProblemAnswer } from '../stage/client.ts'
import type { Acknowledged } from './acknowledged.ts'
import { Unanswered, type Person } from './person.ts'
import type { Random } from './random.ts'

const ACTIONS = { tell: 4, decide: 5, direct: 6, upload: 3, download: 2, command: 3, lists: 3, setting: 2, sign: 1 }
/** How long somebody tries to get an answer. */
const STUBBORN_MS = 60_000
const LOOK_EVERY_MS = 250
const ASYNC = { prefer: 'respond-async' }
/** Tools that write into the ledger, and the switch that each is under. */
const TOOLS = {
  'ledger.plain': null,
  'ledger.switched': 'switch',
  'ledger.ruled': 'rule',
  'fleeting.plain': 'module',
} as const

/** What one person does, one thing after another, until it is told to stop. */
export class UserTraffic {
  readonly person: Person
  readonly #number: number
  readonly #random: Random
  readonly #known: Acknowledged
  readonly #files: string[] = []
  readonly #commands: string[] = []
  #conversation: string | null = null
  #count = 0

  constructor(person: Person, number: number, random: Random, known: Acknowledged) {
    this.person = person
    this.#number = number
    this.#random = random
    this.#known = known
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const action = this.#random.weighted(ACTIONS)
      try {
        await this[action](signal)
      } catch (error) {
        // The history has it already: refused, or nobody answered.
        if (!(error instanceof ProblemAnswer) && !(error instanceof Unanswered)) throw error
      }
      await sleep(this.#random.between(50, 400))
    }
  }

  #mark(kind: 'M' | 'E' | 'Q'): string {
    return `${kind}${this.#number}-${++this.#count}`
  }

  /** Sends a message under an idempotency key until it is known to be there. */
  async #send(mark: string, message: string): Promise<{ conversation_id: string; run_id: string }> {
    const { name } = this.person
    const entry = { by: name, acknowledged: false }
    this.#known.messages.set(mark, entry)
    const conversation_id = this.#random.next() < 0.4 ? null : this.#conversation
    const answer = await this.person.ask(
      'send',
      contract.chat.send,
      { body: { message, conversation_id } },
      { againFor: STUBBORN_MS, headers: { ...ASYNC, 'idempotency-key': mark } },
    )
    entry.acknowledged = true
    const { body } = answer as { body: { conversation_id: string; run_id: string } }
    this.#conversation = body.conversation_id
    return body
  }

  #look(conversation_id: string) {
    return this.person.ask(
      'conversation',
      contract.chat.conversation,
      { params: { conversation_id }, query: { limit: 20 } },
      { againFor: STUBBORN_MS },
    )
  }

  async #rest(conversation_id: string, signal: AbortSignal): Promise<void> {
    const end = performance.now() + STUBBORN_MS
    while (!signal.aborted && performance.now() < end) {
      const { active_run, queued } = await this.#look(conversation_id)
      if (active_run === null && queued === 0) return
      await sleep(LOOK_EVERY_MS)
    }
  }

  /** A chat whose answer streams; sometimes with more in the queue, sometimes stopped. */
  async tell(signal: AbortSignal): Promise<void> {
    const mark = this.#mark('M')
    const { conversation_id } = await this.#send(mark, `${mark} tell me`)
    const next = this.#random.next()
    if (next < 0.25) {
      const queued = this.#mark('Q')
      const entry = { by: this.person.name, acknowledged: false }
      this.#known.messages.set(queued, entry)
      const params = { conversation_id }
      const more = { againFor: STUBBORN_MS, headers: { 'idempotency-key': queued } }
      await this.person.ask('queue', contract.chat.queueMessage, { params, body: { message: `${queued} tell` } }, more)
      entry.acknowledged = true
    } else if (next < 0.45) {
      await sleep(this.#random.between(0, 400))
      await this.person.ask('cancel', contract.chat.cancel, { body: { conversation_id } }, { againFor: STUBBORN_MS })
    }
    await this.#rest(conversation_id, signal)
  }

  /** A call that waits for a card, which is decided wherever the balancer leads; sometimes both ways at once. */
  async decide(signal: AbortSignal): Promise<void> {
    const [mark, effect] = [this.#mark('M'), this.#mark('E')]
    const wanted = this.#known.effect(effect, null)
    const { conversation_id } = await this.#send(mark, `${mark} do ${effect}`)
    const end = performance.now() + STUBBORN_MS
    for (;;) {
      const { approvals, active_run } = await this.#look(conversation_id)
      const card = approvals.find(({ status }) => status === 'pending')
      if (card !== undefined) {
        const [first, second] =
          this.#random.next() < 0.7 ? (['approve', 'deny'] as const) : (['deny', 'approve'] as const)
        const decisions = this.#random.next() < 0.2 ? [first, second] : [first]
        await Promise.allSettled(
          decisions.map(async (decision) => {
            const params = { approval_id: card.approval_id }
            const input = { params, body: { decision } }
            const how = { againFor: STUBBORN_MS, headers: ASYNC }
            await this.person.ask('decide', contract.chat.decideApproval, input, how)
            const before = this.#known.decisions.get(card.approval_id)
            if (before !== undefined && before !== decision)
              this.person.history.violation('a card is decided once', `${card.approval_id}: ${before} and ${decision}`)
            this.#known.decisions.set(card.approval_id, decision)
            if (decision === 'deny') wanted.refused = 'denied'
          }),
        )
        return this.#rest(conversation_id, signal)
      }
      if (active_run === null || signal.aborted || performance.now() > end) return
      await sleep(LOOK_EVERY_MS)
    }
  }

  /** A call typed by hand, whose answer is waited for. */
  async direct(): Promise<void> {
    const effect = this.#mark('E')
    const tool = this.#random.pick(Object.keys(TOOLS) as (keyof typeof TOOLS)[])
    const wanted = this.#known.effect(effect, TOOLS[tool])
    const entry = { by: this.person.name, acknowledged: false }
    this.#known.messages.set(effect, entry)
    const answer = await this.person.ask(
      'direct',
      contract.chat.send,
      { body: { message: `/${tool} text=${effect}`, conversation_id: null } },
      { againFor: STUBBORN_MS, headers: { 'idempotency-key': effect } },
    )
    entry.acknowledged = true
    if (answer.status === 200)
      wanted.done = answer.body.tool_calls_executed.some(
        (call) => `${call.module}.${call.tool}` === tool && call.status === 'done',
      )
  }

  async upload(): Promise<void> {
    const bytes = randomBytes(this.#random.between(1, 200_000))
    const name = `${this.#mark('M')}.bin`
    const { file } = await this.person.ask('upload', contract.files.upload, {
      headers: { 'x-file-name': name, 'content-type': 'application/octet-stream' },
      body: bytes,
    })
    const hash = createHash('sha256').update(bytes).digest('hex')
    this.#known.files.set(file.file_id, { by: this.person.name, hash })
    this.#files.push(file.file_id)
  }

  async download(): Promise<void> {
    if (this.#files.length === 0) return this.upload()
    const file_id = this.#random.pick(this.#files)
    await this.compare(file_id)
  }

  /** Reads a file back, and says so when it is not what was stored. */
  async compare(file_id: string): Promise<void> {
    const { hash } = this.#known.files.get(file_id)!
    const how = { againFor: STUBBORN_MS }
    const response = await this.person
      .ask('download', contract.files.download, { params: { file_id } }, how)
      .catch((error: unknown) => {
        if (error instanceof ProblemAnswer && error.code === 'not_found')
          this.person.history.violation('files are there', `${file_id} of ${this.person.name} is gone`)
        throw error
      })
    const bytes = await response.arrayBuffer().catch(() => null)
    // Cut off on the way: that is what connections do.
    if (bytes === null) return
    if (createHash('sha256').update(Buffer.from(bytes)).digest('hex') !== hash)
      this.person.history.violation('files are as they were', `${file_id}: ${bytes.byteLength} bytes, not as stored`)
  }

  async command(): Promise<void> {
    const name = this.#mark('M')
    const next = this.#random.next()
    const command_id = this.#commands.at(-1)
    const of = { params: { command_id: command_id ?? '' } }
    if (command_id === undefined || next < 0.6) {
      const body = { name, prompt: `${name} for {{place}}` }
      const { item } = await this.person.ask('create command', contract.commands.create, { body })
      this.#known.commands.set(item.command_id, { name, unknown: false })
      this.#commands.push(item.command_id)
      return
    }
    const entry = this.#known.commands.get(command_id)!
    // Until it is answered, either may be true.
    entry.unknown = true
    if (next < 0.85) {
      await this.person.ask('update command', contract.commands.update, { ...of, body: { name } }, { againFor: 5000 })
      entry.name = name
    } else {
      this.#commands.pop()
      await this.person.ask('delete command', contract.commands.remove, of)
      entry.name = null
    }
    entry.unknown = false
  }

  async lists(): Promise<void> {
    const again = { againFor: 5000 }
    await this.person.ask('list', contract.chat.listConversations, { query: { limit: 20 } }, again)
    await this.person.ask('list files', contract.files.list, { query: { limit: 20 } }, again)
    await this.person.ask('list commands', contract.commands.list, { query: { limit: 20 } }, again)
  }

  async setting(): Promise<void> {
    const personal_prompt = this.#mark('M')
    const { name } = this.person
    this.#known.settings.set(name, [...(this.#known.settings.get(name) ?? ['']), personal_prompt])
    await this.person.ask('setting', contract.accounts.updatePreferences, { body: { personal_prompt } })
    this.#known.settings.set(name, [personal_prompt])
  }

  /** Signs out, and in again; the old session must be worth nothing, wherever it is shown. */
  async sign(): Promise<void> {
    const old = this.person.client.cookie
    try {
      await this.person.ask('sign out', contract.accounts.logout, { body: {} })
      const response = await this.person.client
        .fetch('/api/auth/session', { headers: { cookie: old } })
        .catch(() => null)
      if (response?.status === 200)
        this.person.history.violation('who signed out is out', `${this.person.name} was let in with the old session`)
      await response?.body?.cancel()
    } finally {
      // Without an answer nobody knows whether they are out.
      await this.person.signIn()
    }
  }
}
