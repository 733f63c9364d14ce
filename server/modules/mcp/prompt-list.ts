import type { Client, GetPromptResult } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { ModulePrompt } from '../../../contract/modules.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { Wording } from '../../kernel/wording.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'
import { readPages } from './read-pages.ts'
import { boundText } from '../result/result-text.ts'

const PROMPT_LIMIT = 200
const ARGUMENT_LIMIT = 50
const PROMPT_NAME = /^[^\p{C}]{1,128}$/u

const Prompt = z.looseObject({
  name: z.string().regex(PROMPT_NAME),
  title: z.string().optional(),
  description: z.string().optional(),
  arguments: z
    .array(
      z.looseObject({
        name: z.string().regex(PROMPT_NAME),
        description: z.string().optional(),
        required: z.boolean().optional(),
      }),
    )
    .max(ARGUMENT_LIMIT)
    .optional(),
})

/** Reads a module's prompts, leaving out unusable ones. Rejects when there is no list at all. */
export async function readPrompts(
  client: Client,
  signal: AbortSignal,
): Promise<{ prompts: readonly ModulePrompt[]; problems: readonly Sentence[] }> {
  if (client.getServerCapabilities()?.prompts === undefined) return { prompts: [], problems: [] }
  const { items, end, pages } = await readPages(client, 'prompts/list', 'prompts', PROMPT_LIMIT, signal)
  const problems: Sentence[] = {
    all: [],
    most: [say`It lists more than ${PROMPT_LIMIT} prompts: the rest are left out.`],
    size: [say`Its list of prompts is too large: everything after ${pages} pages is left out.`],
    pages: [say`Its list of prompts does not end: everything after ${pages} pages is left out.`],
  }[end]
  const prompts = new Map<string, ModulePrompt>()
  let wrong = 0
  for (const item of items) {
    const { success, data } = Prompt.safeParse(item)
    if (!success || prompts.has(data.name)) {
      wrong++
      continue
    }
    prompts.set(data.name, {
      name: data.name,
      title: cut(visible(data.title ?? data.name), 120),
      description: cut(visible(data.description ?? ''), 1000),
      arguments: (data.arguments ?? []).map(({ name, description = '', required = false }) => ({
        name,
        description: cut(visible(description), 500),
        required,
      })),
    })
  }
  if (wrong > 0) problems.push(say`Prompts left out because they are invalid or listed twice: ${wrong}.`)
  return { prompts: [...prompts.values()], problems }
}

/** A prompt as people read it in a language. */
export function promptTexts<P extends ModulePrompt>(prompt: P, { text }: Wording): P {
  const { title, description, arguments: all } = prompt
  return {
    ...prompt,
    title: text(title),
    description: text(description),
    arguments: all.map((argument) => ({ ...argument, description: text(argument.description) })),
  }
}

/** The texts of a prompt's messages, joined. */
export function promptText(result: GetPromptResult): string {
  const texts = result.messages.map(({ content }) => {
    if (content.type === 'text') return content.text
    if (content.type === 'resource' && 'text' in content.resource) return content.resource.text
    return `[${content.type}: left out]`
  })
  return boundText(texts.join('\n\n'))
}
