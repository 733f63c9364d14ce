import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { askingModule } from './stage/modules/asking-module.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('prompts of modules on $name', (database) => {
  let stage: Stage
  let ann: TestClient
  beforeAll(async () => {
    stage = await openStage(database, { builtins: [askingModule] })
    ann = await stage.as('ann')
    await until(async () => (await list(ann)).length > 0)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const list = async (client: TestClient) =>
    (await client.call(contract.chat.listPrompts)).items.filter(({ module }) => module === 'asker')
  const fill = (client: TestClient, prompt: string, args: Record<string, string> = {}, module = 'asker') =>
    client.call(contract.chat.fillPrompt, { params: { module, prompt }, body: { arguments: args } })

  test('are listed with their module and their arguments', async () => {
    expect(await list(ann)).toEqual([
      {
        module: 'asker',
        module_title: 'Asker',
        name: 'greet',
        title: 'Greet somebody',
        description: 'A greeting',
        arguments: [
          { name: 'name', description: 'Whom', required: true },
          { name: 'tone', description: '', required: false },
        ],
      },
      expect.objectContaining({ name: 'broken/one', description: 'Never works', arguments: [] }),
      expect.objectContaining({ name: 'long' }),
    ])
  })

  test('are filled in by the module; braces go through for a quick command', async () => {
    expect(await fill(ann, 'greet', { name: 'Ben' })).toEqual({ text: 'Greet Ben kindly.' })
    expect(await fill(ann, 'greet', { name: '{{name}}', tone: '{{tone}}' })).toEqual({
      text: 'Greet {{name}} {{tone}}.',
    })
    expect((await fill(ann, 'long')).text).toHaveLength(20_000)
  })

  test('other arguments are 422, unknown prompts 404, and a module that fails 503', async () => {
    await expect(fill(ann, 'greet', { tone: 'x', size: 'l' })).rejects.toMatchObject({
      status: 422,
      problem: {
        errors: [
          { path: 'arguments.size', message: 'is not an argument of this prompt' },
          { path: 'arguments.name', message: 'is required' },
        ],
      },
    })
    await expect(fill(ann, 'nothing')).rejects.toMatchObject({ status: 404 })
    await expect(fill(ann, 'greet', { name: 'x' }, 'nobody')).rejects.toMatchObject({ status: 404 })
    await expect(fill(ann, 'broken/one')).rejects.toMatchObject({ status: 503, code: 'module_unavailable' })
  })

  test('are not there for whom all tools of the module are denied, nor for a token without them', async () => {
    const { client } = await stage.member('denied', [{ subject: 'tool:asker.*', effect: 'deny' }])
    expect(await list(client)).toEqual([])
    await expect(fill(client, 'greet', { name: 'x' })).rejects.toMatchObject({ status: 404 })
    const { token } = await ann.call(contract.accounts.createToken, {
      body: { name: 'narrow', permissions: ['conversations.read', 'tool:system.*'] },
    })
    const narrow = stage.anonymous()
    narrow.bearer = token
    expect(await list(narrow)).toEqual([])
  })
})
