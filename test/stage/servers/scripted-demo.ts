import type { ScriptedRequest, ScriptedStep } from './scripted-step.ts'

type Tool = ScriptedRequest['tools'][number]

/**
 * A script that passes for a modest model: it picks the tool whose name and description share most words with the
 * question, fills its arguments from the question, and tells what came back. For walkthroughs, screenshots and the bench.
 */
export function demoScript(request: ScriptedRequest): ScriptedStep[] {
  const last = request.messages.at(-1)
  const question = lastQuestion(request)
  const usage = { usage: { prompt_tokens: JSON.stringify(request.messages).length >> 2, completion_tokens: 40 } }
  if (last?.role === 'tool') return [...speak(summary(contentText(last.content))), usage]
  const tool = bestTool(request.tools, question)
  if (tool === undefined) return [...speak(help(request.tools)), usage]
  const plain = tool.name.replace('__', '.')
  return [
    { reasoning: `The question is about ${plain}. I look it up instead of guessing.` },
    ...speak('Let me look.'),
    { calls: [{ name: tool.name, arguments: argumentsFor(tool, question), pieces: 3 }] },
    usage,
  ]
}

function speak(text: string): ScriptedStep[] {
  return (text.match(/\s*\S+/g) ?? []).flatMap((word): ScriptedStep[] => [{ text: word }, { pause: 15 }])
}

function summary(result: string): string {
  const lines = result
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '')
  if (lines.length === 0) return 'That is done; there was nothing to report.'
  const table = lines.length > 2 && lines[0]!.includes('\t')
  if (!table) return `Here is what I found:\n\n> ${lines.slice(0, 8).join('\n> ')}`
  const top = lines.slice(1, 4).map((line) => `- ${line.split('\t').slice(0, 4).join(' · ')}`)
  return `Here is what I found. At the top of the table:\n\n${top.join('\n')}\n\nThe table above has all ${lines.length - 1} rows.`
}

function help(tools: readonly Tool[]): string {
  if (tools.length === 0) return 'I have no tools here, so I can only talk.'
  const names = tools.slice(0, 8).map((tool) => `\`${tool.name.replace('__', '.')}\``)
  return `I can look things up with ${names.join(', ')}. What would you like to know?`
}

function bestTool(tools: readonly Tool[], question: string): Tool | undefined {
  const asked = stems(question)
  const scored = tools.map((tool) => {
    const named = stems(tool.name)
    const described = stems(tool.description)
    const score = [...asked].reduce((sum, stem) => sum + (named.has(stem) ? 5 : 0) + (described.has(stem) ? 1 : 0), 0)
    return { tool, score }
  })
  return scored.filter(({ score }) => score >= 2).sort((a, b) => b.score - a.score)[0]?.tool
}

/** Words without their endings, so that "processes" is about a "process". */
function stems(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\d]{3,}/gu) ?? []
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.slice(0, 6)))
}

const COMMON = new Set(
  'the and for are which what how use uses used most with from this that has have much many show list all its can you does'.split(
    ' ',
  ),
)

/** Choices that the question names, numbers for a limit, quoted text for what is required. */
function argumentsFor(tool: Tool, question: string): Record<string, unknown> {
  const properties = (tool.parameters.properties ?? {}) as Record<
    string,
    { type?: unknown; enum?: unknown[]; default?: unknown }
  >
  const required = Array.isArray(tool.parameters.required) ? tool.parameters.required : []
  const asked = stems(question)
  const quoted = [...question.matchAll(/["“`]([^"”`]+)["”`]/g)].map(([, text]) => text!)
  const number = /\b\d+\b/.exec(question)?.[0]
  const input: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const choice = schema.enum?.find((value) => asked.has(String(value).toLowerCase().slice(0, 6)))
    if (choice !== undefined) input[name] = choice
    else if ((schema.type === 'integer' || schema.type === 'number') && number !== undefined)
      input[name] = Number(number)
    else if (schema.type === 'string' && quoted.length > 0) input[name] = quoted.shift()
    else if (required.includes(name)) input[name] = schema.default ?? schema.enum?.[0] ?? ''
  }
  return input
}

function lastQuestion(request: ScriptedRequest): string {
  return contentText(request.messages.findLast((message) => message.role === 'user')?.content ?? '')
}

function contentText(content: ScriptedRequest['messages'][number]['content']): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n')
}
