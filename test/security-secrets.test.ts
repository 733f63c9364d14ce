import { expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { say } from './stage/chat-stage.ts'
import { PASSWORD } from './stage/people.ts'
import { startProcess } from './stage/process.ts'
import { startScriptedModel } from './stage/servers/scripted-model.ts'
import { ask } from './stage/security-stage.ts'

const KEY = 'sk-test-key'
const SECRET_KEY = 'f00d'.repeat(16)

/** Whatever an engine says, it must not carry the key that it was given into a log or an answer. */
const echo = `Incorrect API key provided: ${KEY}`

test('no secret is in the log at debug level, in the audit log, in events or in answers', async () => {
  await using model = await startScriptedModel((_, index) =>
    index === 0
      ? [{ text: 'Fine.' }]
      : [{ status: 401, body: { error: { message: echo, code: 'invalid_api_key' } }, headers: { 'x-key': KEY } }],
  )
  await using service = await startProcess({ model, env: { REEVE_LOG_LEVEL: 'debug', REEVE_SECRET_KEY: SECRET_KEY } })
  const link = new URL(service.setupLink ?? '').searchParams.get('token') ?? ''
  const before = service.log.length
  const admin = await service.as('admin')
  const ann = await service.as('ann')
  const stranger = service.anonymous()
  const { token } = await ann.call(contract.accounts.createToken, { body: { name: 'script' } })

  // Right and wrong in every place where a secret is sent.
  const body = JSON.stringify
  await say(ann, 'hello')
  const answers = [
    await ask(stranger, contract.accounts.setup, {
      ids: {},
      body: body({ token: link, username: 'mallory', password: PASSWORD }),
    }),
    await ask(stranger, contract.accounts.login, { ids: {}, body: body({ username: PASSWORD, password: 'ann' }) }),
    await ask(stranger, contract.accounts.login, {
      ids: {},
      body: body({ username: 'ann', password: `${PASSWORD}?` }),
    }),
    await ask(stranger, contract.accounts.login, { ids: {}, body: `{"username":"ann","password":"${PASSWORD}` }),
    await ask(stranger, contract.accounts.login, {
      ids: {},
      body: body({ username: 'ann', password: PASSWORD, [PASSWORD]: token }),
    }),
    await ask(ann, contract.accounts.changePassword, {
      ids: {},
      body: body({ current_password: 'wrong', new_password: `${PASSWORD} 2` }),
    }),
    await ask(ann, contract.chat.reset, { ids: {}, body: '{}', headers: { 'x-csrf-token': `${ann.csrfToken}x` } }),
    await ask(stranger, contract.chat.history, { ids: {}, headers: { authorization: `Bearer ${token}x` } }),
    await ask(stranger, contract.chat.history, { ids: {}, headers: { authorization: `Bearer ${token}` } }),
    await ask(ann, contract.chat.send, { ids: {}, body: body({ message: 'again', conversation_id: null }) }),
    await ask(ann, contract.chat.history, { ids: {} }),
    await ask(ann, contract.chat.activity, { ids: {} }),
    await ask(admin, contract.accounts.audit, { ids: {} }),
  ]
  await (await stranger.fetch(`/setup?token=${link}`)).text()
  await service.restart()
  expect(service.setupLink).toBeNull()
  expect(await service.kill('SIGTERM')).toBe(0)

  // Names that the sender chose may come back to the sender: the unknown field is named in the refusal.
  const told = answers.filter(({ problem }) => problem?.errors === undefined).map(({ text }) => text)
  const lines = service.log.slice(before).map((line) => JSON.stringify(line))
  expect(lines.length).toBeGreaterThan(10)
  const secrets = {
    PASSWORD,
    KEY,
    SECRET_KEY,
    link,
    token,
    cookie: /reeve_session=([^;]+)/.exec(ann.cookie)![1]!,
    csrf: ann.csrfToken!,
    admin: /reeve_session=([^;]+)/.exec(admin.cookie)![1]!,
  }
  for (const [name, secret] of Object.entries(secrets)) {
    expect([name, secret.length > 8]).toEqual([name, true])
    expect([name, lines.filter((line) => line.includes(secret))]).toEqual([name, []])
    expect([name, told.filter((text) => text.includes(secret))]).toEqual([name, []])
  }
})
