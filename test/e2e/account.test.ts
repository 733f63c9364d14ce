import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { Authenticator } from '../stage/authenticator.ts'
import { openBrowser } from '../stage/browser.ts'
import { TestClient } from '../stage/client.ts'
import {
  startOpenidProvider,
  CLIENT_ID,
  CLIENT_SECRET,
  type OpenidProviderStage,
} from '../stage/servers/openid-provider.ts'
import { PASSWORD } from '../stage/people.ts'
import { pictures } from './pictures.ts'
import { openVisitor, type Visitor } from './visitor.ts'

const NEXT_PASSWORD = 'slow ferry 12 gulls'

describe('my account', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let provider: OpenidProviderStage
  let visitor: Visitor
  let page: Page
  let base: string

  beforeAll(async () => {
    provider = opened.use(await startOpenidProvider())
    app = opened.use(
      await startTestApp({
        env: {
          REEVE_OIDC_ISSUER: provider.issuer,
          REEVE_OIDC_CLIENT_ID: CLIENT_ID,
          REEVE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
          REEVE_OIDC_NAME: 'Harbour login',
          REEVE_OIDC_DEFAULT_ROLE: 'user',
        },
      }),
    )
    // Passkeys belong to names, and tests have no certificate.
    base = app.url.replace('127.0.0.1', 'localhost')
    provider.register(base)
    await app.as('ann')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, base))
    ;({ page } = visitor)
    visitor.expectForeign(provider.issuer)
  })
  afterAll(() => opened.disposeAsync())

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
  const dialog = (name: string) => page.getByRole('dialog', { name })
  const passkey = (name: string) =>
    page.getByRole('region', { name: 'Passkeys' }).getByRole('listitem').filter({ hasText: name })
  const tab = (name: string) => page.getByRole('tab', { name })
  async function signOut(): Promise<void> {
    // What the page still asks for must not be refused.
    await page.goto('about:blank')
    await visitor.context.clearCookies()
    await page.goto('/login')
    await button('Sign in').waitFor()
  }
  async function typePassword(password = PASSWORD): Promise<void> {
    await page.getByRole('textbox', { name: 'Username' }).fill('ann')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await button('Sign in').click()
  }

  test('the password changes, and who has the old one is out', async () => {
    const other = await app.signIn('ann')
    await visitor.signIn('ann')
    await page.goto('/account')
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    await page.getByLabel('Current password', { exact: true }).fill('wrong one')
    await page.getByLabel('New password', { exact: true }).fill(NEXT_PASSWORD)
    visitor.expectMessage(/\/api\/auth\/password\b/)
    await button('Change password').click()
    await page.getByText('The current password is wrong.').waitFor()
    await visitor.expectAccessible()
    await page.getByLabel('Current password', { exact: true }).fill(PASSWORD)
    await button('Change password').click()
    await page.getByText('Your password was changed.').first().waitFor()
    expect((await other.fetch('/api/auth/session')).status).toBe(401)
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('')
  })

  let secret = ''
  let codes: string[] = []
  const code = (ahead = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + ahead * 30_000 })

  test('an app with codes is set up, and gives backup codes', async () => {
    await page.reload()
    await button('Set up an authenticator app').click()
    const setup = dialog('Set up an authenticator app')
    await setup.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    secret = ((await setup.getByRole('code').textContent()) ?? '').replaceAll(' ', '')
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    await visitor.expectAccessible()
    await pictures(page, 'account-totp')
    visitor.expectMessage(/\/api\/auth\/totp\/confirm\b/)
    await setup.getByRole('textbox', { name: 'Code from the app' }).fill('000000')
    await button('Turn on').click()
    await setup.getByRole('alert').filter({ hasText: 'The second factor was not set up' }).waitFor()
    await setup.getByRole('textbox', { name: 'Code from the app' }).fill(code())
    await button('Turn on').click()
    const shown = dialog('Backup codes')
    await shown.getByRole('listitem').first().waitFor()
    codes = await shown.getByRole('listitem').allTextContents()
    expect(codes).toHaveLength(10)
    await visitor.expectAccessible()
    await pictures(page, 'account-backup-codes')
    const saved = page.waitForEvent('download')
    await button('Download').click()
    expect((await saved).suggestedFilename()).toBe('reeve-backup-codes.txt')
    await button('I have saved them').click()
    await page.getByText('10 backup codes left.').waitFor()
  })

  test('signing in asks for a code, and keeps what was typed', async () => {
    await signOut()
    visitor.expectMessage(/\/api\/auth\/login\b/)
    await typePassword(NEXT_PASSWORD)
    await page.getByRole('heading', { name: 'Two-step verification' }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'login-code')
    await page.getByRole('textbox', { name: 'Code' }).fill('000000')
    await page.keyboard.press('Enter')
    await page.getByText('The code is wrong').waitFor()
    // The one before may have been used in this half minute; one ahead counts too, and for longer than this takes.
    const next = code(1)
    await page.getByRole('textbox', { name: 'Code' }).fill(next)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    expect(visitor.paths.join()).not.toContain(next)
  })

  test('a backup code does it without the phone', async () => {
    await signOut()
    await typePassword(NEXT_PASSWORD)
    await button('Use a backup code').click()
    await page.getByRole('textbox', { name: 'Backup code' }).fill(codes[0]!)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    await page.goto('/account')
    expect(await page.getByText(/backup codes left/).textContent()).toBe('9 backup codes left.')
  })

  test('a passkey is made, named and used without a name', async () => {
    const keys = await visitor.context.newCDPSession(page)
    await keys.send('WebAuthn.enable')
    await keys.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await button('Add a passkey').click()
    const adding = dialog('Add a passkey')
    expect(await adding.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Chrome on Linux')
    await adding.getByRole('textbox', { name: 'Name' }).fill('Blue key')
    await visitor.expectAccessible()
    await button('Continue').click()
    await passkey('Blue key').getByText('Never used').waitFor()
    // The same device a second time.
    await button('Add a passkey').click()
    await button('Continue').click()
    await page.getByText('This device already has a passkey for you.').waitFor()
    await button('Cancel').click()
    await button('Rename Blue key').click()
    await dialog('Rename passkey').getByRole('textbox', { name: 'Name' }).fill('Green key')
    await button('Save').click()
    await passkey('Green key').waitFor()
    await visitor.expectAccessible()
    await page.reload()
    await passkey('Green key').waitFor()
    await pictures(page, 'account')

    await signOut()
    await page.getByRole('link', { name: 'Sign in with Harbour login' }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'login')
    await page.goto('/login?next=%2Ffiles')
    await button('Sign in with a passkey').click()
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor()
  })

  test('a passkey that is deleted opens nothing any more', async () => {
    await page.goto('/account')
    await button('Delete Green key').click()
    const asked = dialog('Delete the passkey “Green key”?')
    await visitor.expectAccessible()
    await asked.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No passkeys yet').waitFor()
    // The device does not know that: somebody else’s keeps the button there.
    await app.as('ben')
    const ben = new TestClient(() => base)
    const login = await ben.call(contract.accounts.login, { body: { username: 'ben', password: PASSWORD } })
    ben.csrfToken = login.csrf_token
    const { options } = await ben.call(contract.accounts.beginPasskey)
    const credential = new Authenticator(base).register(options)
    await ben.call(contract.accounts.registerPasskey, { body: { name: 'x', credential } })
    await signOut()
    visitor.expectMessage(/\/api\/auth\/passkey-login\b/)
    await button('Sign in with a passkey').click()
    await page.getByText('This passkey does not belong to an account here.').waitFor()
    expect(new URL(page.url()).pathname).toBe('/login')
    await visitor.expectAccessible()
    await typePassword(NEXT_PASSWORD)
    await button('Use a backup code').click()
    await page.getByRole('textbox', { name: 'Backup code' }).fill(codes[1]!)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  })

  test('sessions are shown by device, and the others end', async () => {
    await page.goto('/account?tab=sessions')
    const rows = page.getByRole('listitem').filter({ hasText: 'Last seen' })
    await rows.filter({ hasText: 'This session' }).getByText('Chrome on Linux').waitFor()
    expect(await rows.count()).toBeGreaterThan(1)
    await visitor.expectAccessible()
    await pictures(page, 'account-sessions')
    await button('End all other sessions').click()
    await dialog('End all other sessions?').getByRole('button', { name: 'End all other sessions' }).click()
    await expect.poll(() => rows.count()).toBe(1)
    await visitor.expectAccessible()
  })

  test('an access token is made for one purpose, shown once, and revoked', async () => {
    await tab('Access tokens').click()
    await page.getByText('No access tokens yet').waitFor()
    await visitor.expectAccessible()
    await button('Create token').click()
    const making = dialog('Create token')
    await making.getByRole('textbox', { name: 'Name' }).fill('nightly report')
    await making.getByRole('combobox', { name: 'Expires' }).selectOption('30')
    await making.getByRole('radio', { name: 'Only what I choose' }).check()
    await making.getByRole('checkbox', { name: 'Read my files' }).check()
    await visitor.expectAccessible()
    await pictures(page, 'account-token')
    await making.getByRole('button', { name: 'Create token' }).click()
    const made = dialog('Your new access token')
    const token = (await made.getByText(/^rvt_/).textContent()) ?? ''
    await visitor.expectAccessible()
    const script = app.anonymous()
    script.bearer = token
    expect((await script.fetch('/api/files')).status).toBe(200)
    expect((await script.fetch('/api/auth/sessions')).status).toBe(403)
    await button('I have copied it').click()
    expect(await page.content()).not.toContain(token)
    await page.getByText('files.read').waitFor()
    await pictures(page, 'account-tokens')
    await button(/^Revoke/).click()
    await dialog('Revoke “nightly report”?').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No access tokens yet').waitFor()
    expect((await script.fetch('/api/files')).status).toBe(401)
  })

  test('the second factor is turned off by who knows the password', async () => {
    await tab('Sign-in').click()
    await button('Turn off').click()
    const asked = dialog('Turn off the second factor?')
    await asked.getByLabel('Current password', { exact: true }).fill(NEXT_PASSWORD)
    await visitor.expectAccessible()
    await asked.getByRole('button', { name: 'Turn off' }).click()
    await button('Set up an authenticator app').waitFor()
    expect(await page.getByText(/backup code/).count()).toBe(0)
  })

  test('the provider signs a person in, and its failures are said on the sign-in page', async () => {
    await signOut()
    provider.person = { sub: 'ann-there', preferred_username: 'ann' }
    await page.getByRole('link', { name: 'Sign in with Harbour login' }).click()
    await page.getByText('Another account here already has your username.').waitFor()
    await visitor.expectAccessible()
    provider.person = { sub: 'ines-there', preferred_username: 'ines', name: 'Inês Duarte' }
    // The provider knows its own people, too.
    await visitor.context.clearCookies()
    await page.goto('/login?next=%2Faccount')
    await page.getByRole('link', { name: 'Sign in with Harbour login' }).click()
    await page.getByText('You sign in there and have no password for Reeve.').waitFor()
    expect(await button('Change password').count()).toBe(0)
    await visitor.expectAccessible()
  })
})
