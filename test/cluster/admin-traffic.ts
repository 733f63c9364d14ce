import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { contract } from '../../contract/index.ts'
import type { Rule } from '../../contract/rules.ts'
import { ProblemAnswer } from '../stage/client.ts'
import type { Acknowledged } from './acknowledged.ts'
import { Unanswered, type Person } from './person.ts'
import type { Random } from './random.ts'

const ACTIONS = { switch: 4, rule: 3, disable: 2, replace: 1, audit: 2, looks: 2 }
const STUBBORN_MS = 60_000

export const FLEETING = 'fleeting'

/** The rules of the people of this test; `ruled`: what the rule says that the administrator turns. */
export function rulesOfWorkers(ruled: 'allow' | 'deny'): z.input<typeof Rule>[] {
  const allowed = ['tool:ledger.plain', 'tool:ledger.switched', 'tool:ledger.probed', `tool:${FLEETING}.*`]
  return [
    { subject: 'tool:system.run_command', effect: 'ask', approvers: [] },
    ...allowed.map((subject) => ({ subject, effect: 'allow' as const })),
    { subject: 'tool:ledger.ruled', effect: ruled },
  ]
}

/** What the administrator does: things go off, stay off for a while, and come on again. */
export class AdminTraffic {
  readonly person: Person
  readonly #random: Random
  readonly #known: Acknowledged
  readonly #role: string
  readonly #bundle: Buffer

  constructor(person: Person, random: Random, known: Acknowledged, role_id: string, bundle: Buffer) {
    this.person = person
    this.#random = random
    this.#known = known
    this.#role = role_id
    this.#bundle = bundle
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const action = this.#random.weighted(ACTIONS)
      try {
        await this[action]()
      } catch (error) {
        if (!(error instanceof ProblemAnswer) && !(error instanceof Unanswered)) throw error
      }
      await sleep(this.#random.between(200, 1000))
    }
  }

  /** Off, for as long as a few calls take, and on again. Whatever is asked for meanwhile must not happen. */
  async #turn(subject: string, off: () => Promise<unknown>, on: () => Promise<unknown>): Promise<void> {
    try {
      await off()
      const over = this.#known.switchedOff(subject)
      this.person.history.note('off', { subject })
      await sleep(this.#random.between(1500, 5000))
      over()
      this.person.history.note('on', { subject })
    } finally {
      await on()
    }
  }

  switch(): Promise<void> {
    const save = (off: boolean) =>
      this.person.ask(
        'switch',
        contract.runsAdmin.saveSwitch,
        { body: { subject: 'tool:ledger.switched', off, reason: 'Tried out' } },
        { againFor: STUBBORN_MS },
      )
    return this.#turn(
      'switch',
      () => save(true),
      () => save(false),
    )
  }

  rule(): Promise<void> {
    const save = (ruled: 'allow' | 'deny') =>
      this.person.ask(
        'rule',
        contract.accounts.updateRole,
        { params: { role_id: this.#role }, body: { rules: rulesOfWorkers(ruled) } },
        { againFor: STUBBORN_MS },
      )
    return this.#turn(
      'rule',
      () => save('deny'),
      () => save('allow'),
    )
  }

  disable(): Promise<void> {
    return this.#turn(
      'module',
      () => this.#ofModule('disable', contract.modules.disable),
      () => this.#enable(),
    )
  }

  /** Removed, and installed again from the same bundle. */
  replace(): Promise<void> {
    return this.#turn(
      'module',
      () =>
        this.#stubbornly(() =>
          this.person.ask('uninstall', contract.modules.uninstall, { params: { module_name: FLEETING }, body: {} }),
        ),
      async () => {
        await this.install(FLEETING, this.#bundle)
        await this.#enable()
      },
    )
  }

  async install(name: string, bundle: Buffer): Promise<void> {
    const headers = { 'x-module-filename': `${name}.mcpb` }
    await this.#stubbornly(
      () => this.person.ask('install', contract.modules.install, { headers, body: bundle }),
      ['same_version'],
    )
  }

  #enable(): Promise<void> {
    return this.#ofModule('enable', contract.modules.enable)
  }

  #ofModule(kind: 'enable' | 'disable', route: typeof contract.modules.enable | typeof contract.modules.disable) {
    return this.#stubbornly(() => this.person.ask(kind, route, { params: { module_name: FLEETING } }))
  }

  /** Until it is done: somebody who sees that it did not happen asks again. */
  async #stubbornly(work: () => Promise<unknown>, enough: readonly string[] = []): Promise<void> {
    const end = performance.now() + STUBBORN_MS
    for (;;) {
      try {
        await work()
        return
      } catch (error) {
        const again = error instanceof Unanswered || (error instanceof ProblemAnswer && error.code === 'module_busy')
        if (error instanceof ProblemAnswer && enough.includes(error.code)) return
        if (!again || performance.now() > end) throw error
        await sleep(500)
      }
    }
  }

  async audit(): Promise<void> {
    await this.person.ask('audit', contract.accounts.audit, { query: { limit: 50 } }, { againFor: 5000 })
    if (this.#random.next() > 0.2) return
    const verdict = await this.person.ask('verify audit', contract.accounts.verifyAudit, {}, { againFor: 5000 })
    if (!verdict.ok) this.person.history.violation('the audit chain holds', `broken at ${verdict.first_broken_id}`)
  }

  async looks(): Promise<void> {
    await this.person.ask('live runs', contract.runsAdmin.liveRuns, {}, { againFor: 5000 })
    await this.person.ask('list modules', contract.modules.list, {}, { againFor: 5000 })
  }
}
