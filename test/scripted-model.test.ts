import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { ask, callsOf, config, engineFor, PROCESSES, textOf, user } from './stage/ai-steps.ts'
import { startScriptedModel } from './stage/servers/scripted-model.ts'

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) })
  return await response.json()
}

it('answers in one piece, too, and lists its model', async () => {
  await using model = await startScriptedModel([
    [
      { reasoning: 'Hm.' },
      { text: 'Let me look.' },
      { calls: [{ id: 'a', name: 'system.processes', arguments: { limit: 1 } }] },
    ],
  ])
  const tools = [{ type: 'function', function: { name: 'system__processes', description: '', parameters: {} } }]
  expect(await post(model.url, { messages: [{ role: 'user', content: 'Hi' }], tools })).toMatchObject({
    choices: [
      {
        finish_reason: 'tool_calls',
        message: {
          content: 'Let me look.',
          reasoning_content: 'Hm.',
          tool_calls: [{ id: 'a', function: { name: 'system__processes', arguments: '{"limit":1}' } }],
        },
      },
    ],
  })
  expect(model.requests).toMatchObject([{ outcome: 'answered', tools: [{ name: 'system__processes' }] }])
  expect(await post(model.url, { messages: [] })).toMatchObject({
    error: { message: 'the script has no answer number 2' },
  })
  const models = await fetch(`${model.url}/models`)
  expect(await models.json()).toMatchObject({ data: [{ id: 'scripted' }] })
})

it('runs by itself and passes for a modest model', async () => {
  const child = spawn(process.execPath, ['test/stage/servers/scripted-model.ts', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const engine = engineFor(config({ base_url: /REEVE_AI_BASE_URL=(\S+)/.exec(line)![1]! }))
    const question = user('Which processes use the most memory? Show 3.')
    const first = await ask(engine, { messages: [question] })
    const [call] = callsOf(first)
    expect(call).toMatchObject({ name: 'system.processes', input: { sort: 'memory', limit: 3 } })
    const table = 'pid\tname\n1\tinit\n2\tshell'
    const second = await ask(engine, {
      messages: [
        question,
        { role: 'assistant', text: textOf(first), reasoning: [], calls: [call!] },
        {
          role: 'tool',
          results: [{ call_id: call!.call_id, name: call!.name, output: table, failed: false, tables: 0 }],
        },
      ],
    })
    expect(textOf(second)).toContain('- 1 · init')
    expect(textOf(await ask(engine, { messages: [user('Tell me a joke')], tools: [PROCESSES] }))).toContain(
      '`system.processes`',
    )
  } finally {
    child.kill()
  }
})
