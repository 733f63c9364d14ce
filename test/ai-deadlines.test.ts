import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchedFetch } from '../server/ai/watched-fetch.ts'
import { gate, startScriptedModel, type ScriptedStep } from './stage/servers/scripted-model.ts'

const FIRST = 1000
const IDLE = 5000

// Only the deadlines' clock stands still; the connection is a real one.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

async function reading(url: string): Promise<{ next(): Promise<string | undefined> }> {
  const send = watchedFetch({ timeout_ms: FIRST, idle_timeout_ms: IDLE })
  const response = await send(`${url}/chat/completions`, { method: 'POST', body: '{"stream":true,"messages":[]}' })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  return { next: async () => (await reader.read()).value }
}

it('takes a comment for a sign of life, and waits anew for each piece', async () => {
  const gates = [gate(), gate()]
  const steps: ScriptedStep[] = [
    { raw: ': working\n\n' },
    { wait: gates[0]! },
    { raw: ': still\n\n' },
    { wait: gates[1]! },
    { raw: 'data: x\n\n' },
    { hang: true },
  ]
  await using model = await startScriptedModel([steps])
  const answer = await reading(model.url)
  expect(await answer.next()).toBe(': working\n\n')
  // Longer than the first deadline, and both waits together longer than the second.
  vi.advanceTimersByTime(IDLE - 1)
  gates[0]!.open()
  expect(await answer.next()).toBe(': still\n\n')
  vi.advanceTimersByTime(IDLE - 1)
  gates[1]!.open()
  expect(await answer.next()).toBe('data: x\n\n')
  const last = answer.next().catch((error: unknown) => error)
  vi.advanceTimersByTime(IDLE)
  expect(await last).toMatchObject({ name: 'EngineError', code: 'engine_timeout' })
  await model.requests[0]!.closed
  expect(model.open).toBe(0)
})

it('gives up at the first deadline, not before', async () => {
  const later = gate()
  await using model = await startScriptedModel([
    [{ wait: later }, { raw: ': here\n\n' }, { end: true }],
    [{ hang: true }],
  ])
  const early = reading(model.url)
  await later.reached
  vi.advanceTimersByTime(FIRST - 1)
  later.open()
  const answer = await early
  expect(await answer.next()).toBe(': here\n\n')
  expect(await answer.next()).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)

  const late = reading(model.url).catch((error: unknown) => error)
  await model.request(1)
  vi.advanceTimersByTime(FIRST)
  expect(await late).toMatchObject({ name: 'EngineError', code: 'engine_timeout' })
})
