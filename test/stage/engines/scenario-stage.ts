import { expect } from 'vitest'
import { contract } from '../../../contract/index.ts'
import type { AiProvider } from '../../../server/ai/engine-setting.ts'
import { startTestApp, type TestApp } from '../app.ts'
import { lastAnswer, noticesOf, partsOf, say } from '../chat-stage.ts'
import { type BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'
import type { TestClient } from '../client.ts'
import { type Asked, type BytesServer, type Reply, startBytesServer } from '../servers/engine-bytes.ts'
import type { TestDatabase } from '../servers/postgres.ts'
import { WIRES } from './wires.ts'

/** What the person sees of an answer, as it was stored. */
export interface Seen {
  readonly text?: string
  readonly reasoning?: string
  /** Tools with their arguments, how the calls ended, and what was mended of them. */
  readonly calls?: readonly (readonly [tool: string, args: object, status?: string, repaired?: string | undefined])[]
  readonly notices?: readonly string[]
  /** Why the run failed; left out: it did not. */
  readonly code?: string
  /** Part of what the provider said. */
  readonly said?: string | RegExp
  /** How often the engine was asked. */
  readonly asked?: number
  readonly tokens?: readonly [input: number, output: number]
}

/** One line of the table: on which wire, what the server does, which bytes it sends, and what comes of it. */
export type Scenario = readonly [
  wire: AiProvider,
  does: string,
  replies: readonly Reply[],
  seen: Seen,
  check?: (asked: readonly Asked[]) => void,
]

const MODELS: Record<AiProvider, string> = {
  'openai-compatible': 'local',
  openai: 'gpt-5',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
}

export interface ScenarioStage extends AsyncDisposable {
  readonly app: TestApp
  readonly client: TestClient
  readonly server: BytesServer
  /** Their ids. */
  readonly engines: ReadonlyMap<AiProvider, string>
  /** Plays a line of the table, which has this number. */
  run(number: number, scenario: Scenario): Promise<Played>
}

/** What the person sees, and what the table says. */
interface Played {
  readonly found: object
  readonly wanted: object
}

/** Lines of the table as `test.each` takes them. */
export function lines(table: readonly Scenario[]) {
  return table.map((scenario, number) => [scenario[0], scenario[1], number, scenario] as const)
}

/** The real service with an engine for each wire, all at a server that plays bytes. */
export async function openScenarios(
  database: TestDatabase,
  options: { builtins?: readonly BuiltinModule[] } = {},
): Promise<ScenarioStage> {
  await using opened = new AsyncDisposableStack()
  const server: BytesServer = opened.use(await startBytesServer())
  const app = opened.use(await startTestApp({ database, ...options }))
  const admin = await app.as('admin')
  const engines = new Map<AiProvider, string>()
  const add = async (provider: AiProvider, name: string): Promise<string> => {
    const { engine } = await admin.call(contract.engines.addEngine, {
      body: {
        provider,
        name,
        base_url: `${server.origin}/${provider}`,
        model: MODELS[provider],
        api_key: 'sk-of-the-test',
        context_tokens: 32_000,
        price: null,
        timeout_ms: 60_000,
        idle_timeout_ms: 60_000,
      },
    })
    return engine.engine_id
  }
  for (const provider of Object.keys(WIRES) as AiProvider[]) engines.set(provider, await add(provider, provider))
  const client = await app.as('ann')
  const closing = opened.move()

  async function run(number: number, [wire, , replies, seen, check]: Scenario): Promise<Played> {
    const cue = `scenario ${wire} ${number}.`
    const asked = server.play(cue, replies, WIRES[wire].text('Done.'))
    const { conversation_id } = await client.call(contract.chat.reset)
    // What a line teaches about a model is nothing that the next one should know.
    const engine_id = await add(wire, `${wire} ${number}`)
    const engine = { engine_id, model: MODELS[wire] }
    // A run that fails is an error here; what became of it is read afterwards.
    await say(client, cue, { conversation_id, engine }).catch(() => undefined)
    const answer = await lastAnswer(client, conversation_id)
    const run = await client.call(contract.chat.run, { params: { run_id: answer.run_id ?? '' } })
    const calls = partsOf(answer, 'tool_call').map(({ tool_call: call }) => call)
    const notices = partsOf(answer, 'notice').map(({ notice }) => notice)
    const words = (type: 'text' | 'reasoning') =>
      partsOf(answer, type)
        .map((part) => part.text)
        .join('|')
    const last = notices.at(-1)?.detail ?? ''
    const found = {
      status: answer.status,
      text: words('text'),
      reasoning: words('reasoning'),
      calls: calls.map((call) => [nameOf(call), call.arguments, call.status, call.repaired?.join()]),
      notices: noticesOf(answer),
      code: run.error_code ?? undefined,
      said: seen.said === undefined || last.search(seen.said) >= 0 ? seen.said : last,
      asked: asked.length,
      tokens: [run.input_tokens, run.output_tokens],
    }
    expect(JSON.stringify(answer)).not.toContain('sk-of-the-test')
    check?.(asked)
    await admin.call(contract.engines.deleteEngine, { params: { engine_id } })
    const wanted = {
      status: seen.code === undefined ? 'complete' : 'failed',
      text: seen.text ?? (seen.code === undefined ? 'Done.' : ''),
      reasoning: seen.reasoning ?? '',
      calls: (seen.calls ?? []).map(([tool, args, status = 'done', repaired]) => [tool, args, status, repaired]),
      notices: seen.notices ?? (seen.code === undefined ? [] : [seen.code]),
      code: seen.code,
      said: seen.said,
      asked: seen.asked ?? found.asked,
      tokens: seen.tokens ?? found.tokens,
    }
    return { found, wanted }
  }

  return { app, client, server, engines, run, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

function nameOf({ module, tool }: { readonly module: string; readonly tool: string }): string {
  return module === '' ? tool : `${module}.${tool}`
}
