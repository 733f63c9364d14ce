import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { lastAnswer, partsOf, say } from '../stage/chat-stage.ts'
import type { TestClient } from '../stage/client.ts'
import { runModule } from '../stage/modules/install-module.ts'
import { isolationWorks } from '../stage/modules/sandbox-stage.ts'
import { privateName } from '../stage/servers/private-name.ts'
import { packOfficialServer } from '../stage/servers/official-server.ts'
import { skipReason } from '../stage/skip-reason.ts'

const BROWSER = '/usr/bin/chromium-headless-shell'
/** A browser takes no proxy for `localhost` and 127.0.0.1. */
const NAME = await privateName()
const runs = isolationWorks && existsSync(BROWSER) && NAME !== null
if (!existsSync(BROWSER)) skipReason(`there is no ${BROWSER}`)
if (NAME === null)
  process.stderr.write('Browsers as modules are not tested: no name but localhost leads to this machine.\n')

const SERVERS = [
  {
    name: 'playwright',
    package: '@playwright/mcp',
    args: ['--headless', '--isolated', '--no-sandbox', '--executable-path', BROWSER],
    open: 'browser_navigate',
    picture: ['browser_take_screenshot', {}],
  },
  {
    name: 'chrome-devtools',
    package: 'chrome-devtools-mcp',
    args: [
      '--headless',
      '--isolated',
      '--no-usage-statistics',
      '--chromeArg=--no-sandbox',
      '--executablePath',
      BROWSER,
    ],
    open: 'new_page',
    picture: ['take_screenshot', { pageId: 2 }],
  },
] as const

describe.skipIf(!runs)('a browser as a module', () => {
  let folder: string
  let app: TestApp
  let admin: TestClient
  let page: Server
  const visits: string[] = []
  let port = 0

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reeve-browsers-'))
    page = createServer((request, answer) => {
      visits.push(request.url ?? '')
      answer.setHeader('content-type', 'text/html')
      answer.end('<title>The harbour</title><body style="background:rgb(0,128,0)">quiet')
    }).listen(0)
    await once(page, 'listening')
    port = (page.address() as AddressInfo).port
    app = await startTestApp({ env: { REEVE_MODULE_START: '60' } })
    admin = await app.as('admin')
  }, 120_000)
  afterAll(async () => {
    page.closeAllConnections()
    page.close()
    await app[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  async function use(message: string, conversation_id: string | null = null) {
    const first = await say(admin, message, { conversation_id })
    const card = first.approvals[0]
    if (card === undefined) return first
    const params = { approval_id: card.approval_id }
    return (await admin.call(contract.chat.decideApproval, { params, body: { decision: 'approve' } })).result!
  }

  test.each(SERVERS)(
    '$name opens a page of a granted host, and its picture is a file of the conversation',
    { timeout: 240_000 },
    async ({ name, package: of, args, open, picture: [take, input] }) => {
      const bundle = join(folder, `${name}.mcpb`)
      await packOfficialServer({ package: of, displayName: name, args }, bundle, join(folder, name))
      const grants = { network: [`private:${NAME}`], folders: [], commands: [] }
      const module = await runModule(admin, bundle, { grants })
      expect(module).toMatchObject({ state: 'running', isolation: { level: 'isolated' } })

      const url = `http://${NAME}:${port}/${name}`
      const opened = await use(`/${name}.${open} ${JSON.stringify({ url })}`)
      expect(opened.tool_calls_executed[0]).toMatchObject({ status: 'done' })
      expect(opened.tool_calls_executed[0]!.result_preview).toContain(
        name === 'playwright' ? 'The harbour' : `(${url}) [selected]`,
      )
      expect(visits).toContain(`/${name}`)

      const taken = await use(`/${name}.${take} ${JSON.stringify(input)}`, opened.conversation_id)
      expect(taken.tool_calls_executed[0]).toMatchObject({ status: 'done' })
      const [file] = partsOf(await lastAnswer(admin, opened.conversation_id), 'file')
      expect(file?.file).toMatchObject({ media_type: 'image/png' })
      const params = { file_id: file!.file.file_id }
      const bytes = Buffer.from(await (await admin.call(contract.files.download, { params })).arrayBuffer())
      const { dominant } = await sharp(bytes).stats()
      expect(dominant.g).toBeGreaterThan(dominant.r + dominant.b)

      // The processes of a browser share most of their memory: counted once, it stays well below what they show each.
      const { memory } = (await admin.call(contract.modules.module, { params: { module_name: name } })).module
      expect(memory!.used).toBeGreaterThan(0)
      expect(memory!.used).toBeLessThan(memory!.limit)
    },
  )
})
