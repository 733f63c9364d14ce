import { expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { AT_ONCE, MOST_WAITING, Passwords } from '../server/accounts/sign-in/passwords.ts'
import { startTestApp } from './stage/app.ts'
import { ask, refusal } from './stage/security-stage.ts'

test('passwords are checked two at once, a hundred wait in their order, and the next is refused at once', async () => {
  const passwords = new Passwords()
  const done: number[] = []
  const places = AT_ONCE + MOST_WAITING
  const checks = Array.from({ length: places + 20 }, (_, i) =>
    passwords.verify(null, `guess ${i}`).then(() => done.push(i)),
  )
  const refused = checks
    .slice(places)
    .map((check) => expect(check).rejects.toMatchObject({ code: 'sign_in_busy', retryAfter: 3 }))
  await Promise.all(refused)
  expect(done).toEqual([])
  await Promise.all(checks.slice(0, places))
  expect(done).toHaveLength(places)
  // Whoever is done in a place began when at most so many before them were still being checked: however slow one of those is.
  for (const [place, i] of done.entries()) expect(i - place).toBeLessThan(AT_ONCE)
  expect(await passwords.verify(await passwords.hash('right'), 'right')).toBe(true)
})

test('two hundred sign-ins at once keep nobody else waiting until they are through', async () => {
  await using app = await startTestApp({ env: { REEVE_TRUST_PROXY: '127.0.0.1' } })
  await app.as('admin')
  const finished: string[] = []
  const sign = async (i: number) => {
    const answer = await ask(app.anonymous(), contract.accounts.login, {
      ids: {},
      headers: { 'x-forwarded-for': `198.51.100.${i}` },
      body: JSON.stringify({ username: `nobody${i}`, password: 'wrong password' }),
    })
    finished.push('sign-in')
    return answer
  }
  const flood = Array.from({ length: 200 }, (_, i) => sign(i))
  await flood[0]
  await app.anonymous().call(contract.operation.health)
  finished.push('health')
  const answers = await Promise.all(flood)
  expect(finished.indexOf('health')).toBeLessThan(150)
  for (const answer of answers) {
    if (answer.status === 401) continue
    expect(refusal(answer)).toEqual([503, 'sign_in_busy'])
    expect(answer.headers.get('retry-after')).toBe('3')
    expect(answer.problem?.detail).toContain('Try again in 3 seconds')
  }
})
