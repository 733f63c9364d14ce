import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { decide, lastAnswer, openStage, partsOf } from './stage/chat-stage.ts'
import { pendingOf } from './stage/chat/question-stage.ts'
import { connectedModule, params } from './stage/modules/connected-module.ts'
import { draftOf, runIt, step, writing } from './stage/procedures/procedures-stage.ts'
import { startProcess } from './stage/process.ts'
import { createRoutine, ended } from './stage/routines/routine-stage.ts'
import { oauthServer } from './stage/servers/oauth-server.ts'
import { databases } from './stage/servers/postgres.ts'
import { vote } from './stage/votes-stage.ts'
import { until } from './stage/wait.ts'

/** Processes of one installation have one key. */
const SECRET = { REEVE_SECRET_KEY: 'b2'.repeat(32) }

describe.each(databases.filter(({ name }) => name === 'postgres'))('tokens between two processes', (database) => {
  test('are renewed by one of them, however many calls of both need it', { timeout: 240_000 }, async () => {
    await using server = await oauthServer()
    await using stage = await openStage(database, { env: SECRET, engine: false })
    const admin = await stage.as('admin')
    const far = connectedModule(stage, admin)
    await far.add(server, 'shared')
    await far.start(server)
    const url = () => Promise.resolve(stage.databaseUrl)
    await using other = await startProcess({ database: { ...database, url }, env: SECRET })
    const there = await other.signIn('admin')
    await until(async () => (await there.call(contract.modules.module, { params })).module.state === 'running', {
      what: 'the other process runs the module',
      timeout: 120_000,
    })
    const renewals = () => server.log.filter((each) => each === 'refresh_token').length
    for (const round of [1, 2, 3]) {
      const before = renewals()
      server.endTokens()
      const calls = await Promise.all([far.hello(admin), far.hello(there)])
      expect([round, calls.map(({ status }) => status), renewals() - before]).toEqual([round, ['done', 'done'], 1])
    }
  })
})

describe.each(databases)('what runs by itself in a person’s name, on $name', (database) => {
  test('is sent with the tokens of that person alone', { timeout: 120_000 }, async () => {
    await using server = await oauthServer()
    await using stage = await openStage(database, { engine: false })
    const far = connectedModule(stage, await stage.as('admin'))
    await far.add(server, 'person')
    await far.start(server)
    for (const name of ['ann', 'ben', 'eve']) {
      const { client } = await far.member(name)
      // Eve has connected nothing.
      if (name !== 'eve') await far.connectOwn(client, server, `${name}-there`)
      server.used.length = 0
      const body = { name: 'Greets', text: '/far.hello {}', cron: null, scope: ['tool:far.*'] }
      const { routine_id } = await createRoutine(client, body)
      await client.call(contract.routines.run, { params: { routine_id } })
      const card = await until(async () => (await pendingOf(client))[0], { what: 'its card is there' })
      await decide(client, card.approval_id, 'approve')
      await ended(stage, client, routine_id)
      const accounts = new Set(server.used.map(({ account }) => account))
      expect([name, accounts]).toEqual([name, new Set(name === 'eve' ? [] : [`${name}-there`])])
    }
  })

  test('by a procedure, with those of whoever carries it out', { timeout: 120_000 }, async () => {
    await using server = await oauthServer()
    await using stage = await openStage(database, { engine: false })
    const admin = await stage.as('admin')
    const far = connectedModule(stage, admin)
    await far.add(server, 'person')
    await far.start(server)
    const author = await far.member('author')
    await far.connectOwn(author.client, server, 'author-there')
    const { procedure } = await writing(author.client, admin).reviewed(draftOf('Greets', [step('far.hello', {})], []))
    const { procedure_id } = procedure
    const rules = [{ subject: `procedure:${procedure_id}`, effect: 'allow' as const }]
    for (const name of ['author', 'ben', 'eve']) {
      const member = name === 'author' ? author : await stage.member(name)
      await stage.setRules(member, rules)
      if (name === 'ben') await far.connectOwn(member.client, server, 'ben-there')
      server.used.length = 0
      const { client } = member
      // What nobody knows the effect of asks in a procedure too.
      const approve = async () => {
        const card = await until(async () => (await pendingOf(client))[0], { what: 'its card is there' })
        await vote(admin, card.approval_id)
      }
      // At once, and in a routine of that person.
      const { conversation_id } = await runIt(client, procedure_id, {})
      await approve()
      const call = await until(
        async () => {
          const [part] = partsOf(await lastAnswer(client, conversation_id), 'tool_call')
          return ['done', 'failed'].includes(part!.tool_call.status) && part!.tool_call
        },
        { what: 'its step has ended' },
      )
      expect([name, call.status]).toEqual([name, name === 'eve' ? 'failed' : 'done'])
      const work = { kind: 'procedure' as const, procedure_id, version: 1, values: {} }
      const { routine } = await client.call(contract.routines.create, {
        body: { name: 'Greets', work, schedule: null, scope: [`procedure:${procedure_id}`, 'tool:far.*'] },
      })
      const params = { routine_id: routine.routine_id }
      await client.call(contract.routines.run, { params })
      await approve()
      await ended(stage, client, params.routine_id)
      const accounts = new Set(server.used.map(({ account }) => account))
      expect([name, accounts]).toEqual([name, new Set(name === 'eve' ? [] : [`${name}-there`])])
    }
  })
})
