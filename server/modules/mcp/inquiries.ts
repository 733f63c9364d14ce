import type { Client } from '@modelcontextprotocol/client'
import { say } from '../../kernel/sentence.ts'
import { maskedValue } from '../result/masked-value.ts'
import type { Inquire, Inquiries } from '../spec/module-inquiry.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import { openCompletions } from './completions.ts'
import type { ModuleLists } from './module-lists.ts'
import { promptText } from './prompt-list.ts'
import { openResources } from './resource-list.ts'

const ASK_MS = 15_000

type Answers = {
  readonly [K in keyof Inquiries]: (
    about: Inquiries[K]['about'],
    secrets: readonly string[],
    signal: AbortSignal,
  ) => Promise<Inquiries[K]['answer']>
}

/** Answers what people ask of a connected module beside calls: prompts, resources, suggestions. Secrets are masked. */
export function openInquiries(client: Client, lists: ModuleLists): Inquire<[secrets: readonly string[]]> {
  const resources = openResources(client)
  const complete = openCompletions(client)
  const answers: Answers = {
    async prompt({ prompt, args }) {
      if (!lists.prompts().some(({ name }) => name === prompt))
        throw new ModuleProblem(say`The module has no prompt “${prompt}”.`)
      return promptText(await client.getPrompt({ name: prompt, arguments: { ...args } }, { timeout: ASK_MS }))
    },
    resources: () => resources.list(),
    read: (chosen, secrets, signal) => resources.read(chosen, secrets, signal),
    complete: (completing, _secrets, signal) => complete(completing, signal),
  }
  return async (secrets, kind, about, signal = AbortSignal.timeout(ASK_MS)) => {
    const answer = await answers[kind](about, secrets, signal)
    // Of what is read, its text is masked before it becomes bytes.
    return kind === 'read' ? answer : maskedValue(answer, secrets)
  }
}
