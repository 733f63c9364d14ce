import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { ALLOW_COMMANDS, openStage, type Stage } from './stage/chat-stage.ts'
import { createRoutine, ended, firesOf } from './stage/routines/routine-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { DISK, watching, type Watching } from './stage/watches/watch-stage.ts'

describe.each(databases)('a watch that starts a routine, on $name', (database) => {
  let stage: Stage
  let watch: Watching
  beforeAll(async () => {
    stage = await openStage(database)
    watch = watching(stage)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('it runs once for a crossing, and reads what was seen as data', async () => {
    const { client } = await stage.member('ann', ALLOW_COMMANDS)
    const requests = stage.play('look after the disk', [[{ text: 'I have looked.' }]])
    const { routine_id } = await createRoutine(client, { name: 'Look', text: 'look after the disk', cron: null })
    await watch.disk(50)
    const { watch_id } = await watch.add(client, { action: { ...DISK.action, routine_id } })
    await watch.later(client, watch_id)
    expect(await firesOf(client, routine_id)).toEqual([])
    await watch.disk(97)
    await watch.later(client, watch_id)
    const fire = await ended(stage, client, routine_id)
    await watch.later(client, watch_id)
    expect(await firesOf(client, routine_id)).toEqual([fire])
    expect(fire).toMatchObject({ cause: 'watch', outcome: 'started', run: { status: 'done' } })
    expect(JSON.stringify(requests[0])).toMatch(/disk_used.*97/)
    const { items } = await client.call(contract.watches.listCrossings, { params: { watch_id }, query: {} })
    expect(items).toMatchObject([{ value: 97, routine: 'started' }])
    const { conversation_id } = fire.run!
    const conversation = await client.call(contract.chat.conversation, { params: { conversation_id } })
    expect(conversation.untrusted).toMatchObject({ kind: 'watch' })
  })

  test('nobody starts a routine of somebody else', async () => {
    const { client: owner } = await stage.member('ben', ALLOW_COMMANDS)
    const { client } = await stage.member('cleo', ALLOW_COMMANDS)
    const { routine_id } = await createRoutine(owner, { name: 'Look', text: 'look', cron: null })
    const body = { ...DISK, action: { ...DISK.action, routine_id } }
    await expect(client.call(contract.watches.createWatch, { body })).rejects.toMatchObject({ code: 'bad_watch' })
  })
})
