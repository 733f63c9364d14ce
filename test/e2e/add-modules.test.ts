import { afterAll, beforeAll, expect, test } from 'vitest'
import { greeter } from '../stage/npm/greeter.ts'
import { serveNpm } from '../stage/npm/npm-registry.ts'
import { PYTHON_SERVER, servePypi } from '../stage/pypi/pypi-index.ts'
import { makeUvBundle } from '../stage/pypi/uv-bundle.ts'
import { serveServers } from '../stage/modules/mcp-registry.ts'
import { openModulePages, type ModulePages } from './module-pages.ts'
import { pictures } from './pictures.ts'
import { expectFits, lastAnswer, messageBox, say } from './visitor.ts'

let registry: Awaited<ReturnType<typeof serveNpm>>
let servers: Awaited<ReturnType<typeof serveServers>>
let index: Awaited<ReturnType<typeof servePypi>>
let pages: ModulePages
/** Lets the archives of the package go. */
const held = Promise.withResolvers<void>()
beforeAll(async () => {
  registry = await serveNpm({
    answer(request, response) {
      if (!request.url!.startsWith('/slow')) return false
      void held.promise.then(() => response.writeHead(404).end('{}'))
      return true
    },
  })
  registry.publish(greeter('1.0.0'))
  servers = await serveServers()
  index = await servePypi()
  const files = { 'mcp_snake.py': PYTHON_SERVER }
  await index.publish(
    { name: 'greeting-words', version: '1.0', files: { 'greeting_words.py': 'WORD = "Sss"' } },
    { name: 'mcp-snake', version: '1.0', requires: ['greeting-words'], scripts: 'mcp-snake = mcp_snake:main', files },
  )
  const env = { REEVE_NPM_REGISTRY: registry.url, REEVE_PYPI_INDEX: index.url, REEVE_MCP_REGISTRY: servers.url }
  pages = await openModulePages({ env })
  await pages.page.goto('/modules')
})
afterAll(async () => {
  held.resolve()
  await pages[Symbol.asyncDispose]()
  await registry[Symbol.asyncDispose]()
  await servers[Symbol.asyncDispose]()
  await index[Symbol.asyncDispose]()
})

const form = () => pages.dialog('Add a module')
const field = () => form().getByRole('textbox', { name: 'Package, configuration or address' })
async function open(text: string): Promise<void> {
  await pages.button('Add a module').click()
  await field().fill(text)
}

test('it says what it understood before it does anything', async () => {
  const { page, visitor } = pages
  await open('two words')
  await form().getByText('This is not a package name, a configuration or an https address.').waitFor()
  await field().fill('docker run -i box')
  await form()
    .getByText(/starts “docker run -i box”/)
    .waitFor()
  await field().fill('https://files.example/greeter.mcpb')
  await form().getByText('The bundle is fetched from files.example.').waitFor()
  await field().fill('@test/greeter@^1')
  await form()
    .getByText(/^The package @test\/greeter \^1 is fetched from 127\.0\.0\.1:\d+ with everything it needs/)
    .waitFor()
  expect(registry.asked).toEqual([])
  await expectFits(visitor)
  await pictures(page, 'add-module')
  await page.keyboard.press('Escape')
})

test('a package of the registry is fetched, reviewed, enabled and called', async () => {
  const { page, visitor } = pages
  await open('npx -y @test/greeter Servus')
  await form().getByRole('button', { name: 'Fetch and review' }).click()
  const review = pages.dialog(/^Review .* 1\.0\.0$/)
  await review.getByText('Servus').first().waitFor()
  // A folder that an argument names is one click away, until it is given.
  const given = review.getByRole('textbox', { name: 'Path of folder 1' })
  await review.getByRole('textbox', { name: 'Further arguments' }).fill('--root=/srv/reports')
  await review.getByRole('button', { name: 'Add /srv/reports' }).click()
  expect(await given.inputValue()).toBe('/srv/reports')
  expect(await review.getByRole('button', { name: 'Add /srv/reports' }).count()).toBe(0)
  await visitor.expectAccessible()
  await expectFits(visitor)
  await given.scrollIntoViewIfNeeded()
  await pictures(page, 'review-folders')
  await review.getByRole('button', { name: 'Remove folder 1' }).click()
  await review.getByRole('textbox', { name: 'Further arguments' }).fill('')
  await pages.agree('Enable and start')
  await review.waitFor({ state: 'detached' })
  await page.getByRole('status').getByText('Running').waitFor()
  await page.goto('/chat?new=true')
  await messageBox(page).waitFor()
  await say(page, '/test-greeter.hello name=Fern')
  await pages.agree('Approve')
  await (await lastAnswer(page)).getByText('Servus, Fern from 1.0.0').first().waitFor()
  // What was fetched is all that is needed: to start and to call it, nothing is asked.
  expect(registry.asked.filter(({ path }) => path === '/@test/greeter')).toHaveLength(1)
})

test('a newer version is found when asked for, and waits for a review that says what changed', async () => {
  const { page, visitor } = pages
  await page.goto('/modules')
  await pages.button('Check for updates').click()
  await page.getByText('No newer versions were found.').waitFor()
  registry.publish({ name: 'helper', version: '2.0.0' }, greeter('1.1.0', { dependencies: { helper: '2' } }))
  await pages.button('Check for updates').click()
  const row = pages.row('@test/greeter')
  await row.getByRole('button', { name: 'Update to 1.1.0' }).waitFor()
  await page.getByRole('combobox', { name: 'Show' }).selectOption('updates')
  await expect.poll(() => page.getByRole('list', { name: 'Modules' }).getByRole('listitem').count()).toBe(1)
  await expectFits(visitor)
  await pictures(page, 'modules-updates')
  await row.getByRole('link').click()
  await page.getByText('Version 1.1.0 is available').waitFor()
  await visitor.expectAccessible()
  await pages.button('Update to 1.1.0').click()
  const review = pages.dialog(/^Review .* 1\.1\.0$/)
  await review.getByText(/\+ helper@2\.0\.0/).waitFor()
  await expectFits(visitor)
  await pictures(page, 'module-update-review')
  await pages.agree('Agree and restart')
  await review.waitFor({ state: 'detached' })
  await page.getByRole('status').getByText('Running').waitFor()
  await page.goto('/modules')
  await row.getByText(/^Changed from 1\.0\.0/).waitFor()
})

test('a Python package is added by the line that would start it', async () => {
  const { page } = pages
  await page.goto('/modules')
  await open('uvx mcp-snake loudly')
  await form()
    .getByText(/^The Python package mcp-snake is fetched from 127\.0\.0\.1:\d+/)
    .waitFor()
  await form().getByRole('button', { name: 'Fetch and review' }).click()
  const review = pages.dialog(/^Review .* 1\.0$/)
  await review.getByText('loudly').first().waitFor({ timeout: 60_000 })
  await page.keyboard.press('Escape')
  await page.goto('/modules')
  const source = pages.row('mcp-snake').getByText('pypi: mcp-snake')
  await source.waitFor()
  expect(await source.count()).toBe(1)
})

test('a bundle of uv is sent once more, packed with its packages, and opens its review', async () => {
  const { page, visitor } = pages
  await page.goto('/modules')
  const buffer = await makeUvBundle({ dependencies: ['greeting-words'] })
  const file = { name: 'own.mcpb', mimeType: 'application/zip', buffer }
  await page.getByLabel('Install a bundle').setInputFiles(file)
  const review = pages.dialog(/^Review .* 1\.0\.0$/)
  await review.getByText('reeve-start.py').first().waitFor({ timeout: 60_000 })
  await expectFits(visitor)
  await pictures(page, 'module-uv-review')
  expect(await review.getByText('It may download', { exact: false }).count()).toBe(0)
  await page.keyboard.press('Escape')
})

test('of a configuration each server can be added, with its secrets entered apart', async () => {
  const { page, visitor } = pages
  const mcpServers = {
    far: { url: 'https://mcp.example/mcp', headers: { Authorization: 'Bearer <token>', 'X-Team': 'ops' } },
    near: { command: 'npx', args: ['-y', 'nobody-has-this'], env: { NEAR_TOKEN: '<your token>', REGION: 'eu' } },
  }
  await page.goto('/modules')
  await open(JSON.stringify({ mcpServers }, null, 2))
  await form().getByText('A server at mcp.example: it is added by its address.').waitFor()
  await form().getByRole('combobox', { name: 'Server' }).selectOption('near')
  expect(await form().getByLabel('NEAR_TOKEN', { exact: true }).getAttribute('type')).toBe('password')
  expect(await form().getByLabel('NEAR_TOKEN', { exact: true }).inputValue()).toBe('')
  expect(await form().getByRole('textbox', { name: 'REGION' }).inputValue()).toBe('eu')
  await expectFits(visitor)
  await pictures(page, 'add-module-configuration')
  await form().getByRole('combobox', { name: 'Server' }).selectOption('far')
  await form().getByRole('button', { name: 'Add by address' }).click()
  const remote = pages.dialog('Add by address')
  expect(await remote.getByRole('textbox', { name: 'Address' }).inputValue()).toBe('https://mcp.example/mcp')
  expect(await remote.getByRole('textbox', { name: 'Headers, one per line' }).inputValue()).toBe('X-Team: ops')
  await expectFits(visitor)
  await page.keyboard.press('Escape')
})

test('what is not there is said; one on its way can be cancelled', async () => {
  const { page, visitor } = pages
  await open('nobody-has-this')
  await form().getByRole('button', { name: 'Fetch and review' }).click()
  await page.getByText('nobody-has-this@latest was not added').waitFor()
  await page.getByText('There is no package nobody-has-this.').waitFor()
  await visitor.expectAccessible()
  await pages.button('Dismiss').click()
  await open('slow-one')
  await form().getByRole('button', { name: 'Fetch and review' }).click()
  await page.getByText('Finding the packages it needs').first().waitFor()
  await expectFits(visitor)
  await pictures(page, 'add-module-progress')
  await pages.button('Cancel').click()
  await page.getByText('slow-one@latest').waitFor({ state: 'detached' })
  expect(await page.getByText(/was not added$/).count()).toBe(0)
})

test('a server that a registry lists is chosen, with what it wants to be told', async () => {
  const { page, visitor } = pages
  await pages.button('Add a module').click()
  const search = form().getByRole('searchbox', { name: /^Search 127\.0\.0\.1:\d+$/ })
  await search.fill('greet')
  expect(servers.asked).toEqual([])
  await search.press('Enter')
  await form().getByText('Written by the authors of the servers; nobody here has checked it.').waitFor()
  await form()
    .getByText(/^oci: .* cannot be added here: It is an image for containers\.$/)
    .waitFor()
  await form()
    .getByText(/^npm: @test\/keyed cannot be added here: It needs a secret on its command line/)
    .waitFor()
  await expectFits(visitor)
  await pictures(page, 'add-module-search')
  await form().getByRole('button', { name: 'The greeter: npm: @test/greeter' }).click()
  expect(await field().inputValue()).toBe('@test/greeter@1.1.0')
  await form().getByText('Replace what is in angle brackets or braces.').waitFor()
  expect(await form().getByRole('button', { name: 'Fetch and review' }).isDisabled()).toBe(true)
  await form().getByRole('textbox', { name: 'Arguments, one per line' }).fill('{greeting}')
  await form().getByText('Replace what is in angle brackets or braces.').waitFor()
  await form().getByRole('textbox', { name: 'Arguments, one per line' }).fill('Moin')
  expect(await form().getByRole('button', { name: 'Fetch and review' }).isEnabled()).toBe(true)
  expect(await form().getByLabel('GREETER_KEY', { exact: true }).getAttribute('type')).toBe('password')
  await expectFits(visitor)
  await field().fill('')
  await form().getByRole('button', { name: 'The greeter: mcp.example' }).click()
  await form().getByText('A server at mcp.example: it is added by its address.').waitFor()
  await page.keyboard.press('Escape')
})

test('without a registry it says who can name one', async () => {
  await using other = await openModulePages({ env: { REEVE_NPM_REGISTRY: 'off' } })
  await other.page.goto('/modules')
  await other.button('Add a module').click()
  const dialog = other.dialog('Add a module')
  await dialog.getByRole('textbox', { name: 'Package, configuration or address' }).fill('left-pad')
  await dialog.getByText(/REEVE_NPM_REGISTRY/).waitFor()
  expect(await dialog.getByRole('button', { name: 'Fetch and review' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox', { name: 'Package, configuration or address' }).fill('uvx left-pad')
  await dialog.getByText(/REEVE_PYPI_INDEX/).waitFor()
  await dialog.getByRole('textbox', { name: 'Package, configuration or address' }).fill('')
  await dialog.getByText(/REEVE_MCP_REGISTRY/).waitFor()
  await other.visitor.expectAccessible()
})
