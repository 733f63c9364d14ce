import { type PackedSentence, say, Sentence } from '../../kernel/sentence.ts'
import { INQUIRY_KINDS } from '../spec/module-inquiry.ts'
import { ModuleProblem, sentenceOf } from '../spec/module-problem.ts'
import { type ModuleHost, ModuleStartError } from '../supervision/module-host.ts'
import type { AskOwner } from './ask-owner.ts'
import type { Ownerships } from './ownerships.ts'

const PING_MS = 10_000
/** How long the owner may take to take up what a page asks. */
const TAKE_MS = 3000

/** Answers what other processes ask of the owner of a module: name of the question → answer, both as JSON. */
export type OwnerQuestions = Readonly<Record<string, (module: string, request: unknown) => Promise<unknown>>>

interface Failed {
  readonly failed: { readonly detail: PackedSentence; readonly stderr: readonly string[] }
}

interface OwnerInquiryPorts {
  readonly local: ModuleHost
  readonly asked: AskOwner
  readonly ownerships: Ownerships
  readonly stopping: AbortSignal
}

/** What is asked of the owner of a module beside calls, from both sides. */
export class OwnerInquiry {
  readonly #ports: OwnerInquiryPorts
  #questions: OwnerQuestions

  constructor(ports: OwnerInquiryPorts) {
    const { local } = (this.#ports = ports)
    this.#questions = {
      ping: (module) => local.ping(module, AbortSignal.timeout(PING_MS)),
      ...Object.fromEntries(
        INQUIRY_KINDS.map((kind) => [kind, (module, about) => local.ask(module, kind, about as never)]),
      ),
    }
  }

  /** What is answered besides. */
  answers(questions: OwnerQuestions): void {
    this.#questions = { ...this.#questions, ...questions }
  }

  async serve(module: string, kind: string, request: unknown): Promise<unknown> {
    try {
      const question = this.#questions[kind]
      if (question === undefined) throw new ModuleProblem(say`This process does not know what was asked.`)
      return { answer: await question(module, request) }
    } catch (error) {
      const stderr = error instanceof ModuleStartError ? error.stderr : []
      return { failed: { detail: sentenceOf(error).pack(), stderr } } satisfies Failed
    }
  }

  /** Undefined when nobody has answered. @throws {ModuleStartError} with what the owner says */
  async ask(module: string, kind: string, request: unknown): Promise<unknown> {
    const { ownerships, asked, stopping } = this.#ports
    const owner = ownerships.elsewhere(module)
    if (owner === null) return undefined
    const answer = await asked.ask({ module, kind, request, owner, signal: stopping, take_ms: TAKE_MS })
    if (answer.kind !== 'done') return undefined
    const { answer: said, failed } = answer.result as { answer?: unknown } & Partial<Failed>
    if (failed !== undefined) throw new ModuleStartError(Sentence.unpack(failed.detail), failed.stderr)
    return said ?? null
  }
}
