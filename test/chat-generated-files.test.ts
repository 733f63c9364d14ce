import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { askingModule } from './stage/modules/asking-module.ts'
import {
  lastAnswer,
  openStage,
  partsOf,
  recentEvents,
  say,
  toolResults,
  type Member,
  type Stage,
} from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'

const PNG = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')

describe.each(databases)('files that tools make on $name', (database) => {
  let stage: Stage
  let ann: Member
  beforeAll(async () => {
    stage = await openStage(database, { builtins: [askingModule] })
    ann = await stage.member('ann')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const draw = (...files: { name: string; media_type?: string; data?: string }[]) => ({
    name: 'asker.draw',
    arguments: { files: files.map((file) => ({ media_type: 'image/png', data: PNG, ...file })) },
  })

  test('are stored for the person, shown in the answer, and the engine reads their ids', async () => {
    const requests = stage.play('sketch', [
      [{ calls: [draw({ name: 'map.png' }, { name: 'chart' })] }],
      [{ text: 'See.' }],
    ])
    const result = await say(ann.client, 'sketch')
    expect(result.generated_files).toMatchObject([
      { name: 'map.png', media_type: 'image/png', size: 8, extension: 'png' },
      { name: 'chart.png', media_type: 'image/png', size: 8, extension: 'png' },
    ])
    const [map, chart] = result.generated_files
    const answer = await lastAnswer(ann.client, result.conversation_id)
    expect(partsOf(answer, 'file').map((part) => part.file)).toEqual([map, chart])
    const [call] = partsOf(answer, 'tool_call')
    expect(partsOf(answer, 'file').map((part) => part.tool_call_id)).toEqual(
      Array.from({ length: 2 }, () => call!.tool_call.tool_call_id),
    )
    const lines = toolResults(requests[1])[0]!.split('\n')
    expect(lines[0]).toBe('Drawn.')
    expect(lines.slice(-2)).toEqual([
      `[Stored file "map.png", image/png, 8 bytes, file_id ${map!.file_id}]`,
      `[Stored file "chart.png", image/png, 8 bytes, file_id ${chart!.file_id}]`,
    ])
    const events = await recentEvents(ann.client, answer.run_id!)
    expect(events.filter(({ type }) => type === 'file.created')).toMatchObject([
      { file_id: map!.file_id },
      { file_id: chart!.file_id },
    ])
    const { file_id } = map!
    const download = await ann.client.call(contract.files.download, { params: { file_id } })
    expect(Buffer.from(await download.arrayBuffer()).toString('base64')).toBe(PNG)
    const found = await ann.client.call(contract.chat.listConversations, { query: { q: 'chart.png' } })
    expect(found.items.map((each) => each.conversation_id)).toEqual([result.conversation_id])
  })

  test('names are labels: nothing of a path, of a direction or of nothing is left in them', async () => {
    const names = [
      '../../etc/passwd',
      'a\u202egnp.exe',
      '',
      '...',
      'C:\\x\\y.txt',
      `${'n'.repeat(400)}.png`,
      'a\0b.png',
    ]
    stage.play('labels', [[{ calls: [draw(...names.map((name) => ({ name })))] }], [{ text: 'Done.' }]])
    const { generated_files } = await say(ann.client, 'labels')
    expect(generated_files).toHaveLength(names.length)
    for (const { name, extension } of generated_files) {
      expect(name).toMatch(/^[^/\\\p{C}]{1,255}$/u)
      expect(name).toMatch(/^[^.]/)
      expect(extension).not.toBe('')
    }
  })

  test.each(['deny', 'ask'] as const)('are not kept where the rule for files.create is %s', async (effect) => {
    const { client } = await stage.member(`no-${effect}`, [{ subject: 'files.create', effect }])
    const requests = stage.play(`refused-${effect}`, [[{ calls: [draw({ name: 'map.png' })] }], [{ text: 'Done.' }]])
    const result = await say(client, `refused-${effect}`)
    expect(result.generated_files).toEqual([])
    expect(partsOf(await lastAnswer(client, result.conversation_id), 'file')).toEqual([])
    expect(toolResults(requests[1])[0]).toContain('[File "map.png" was not kept. ')
    expect(toolResults(requests[1])[0]).toContain('files.create')
  })

  test('go with their conversation when it is purged', async () => {
    stage.play('purged', [[{ calls: [draw({ name: 'map.png' })] }], [{ text: 'Done.' }]])
    const { conversation_id, generated_files } = await say(ann.client, 'purged')
    const params = { file_id: generated_files[0]!.file_id }
    await ann.client.call(contract.chat.deleteConversation, { params: { conversation_id } })
    await ann.client.call(contract.files.file, { params })
    await ann.client.call(contract.chat.purgeConversation, { params: { conversation_id } })
    await expect(ann.client.call(contract.files.file, { params })).rejects.toMatchObject({ status: 404 })
  })
})
