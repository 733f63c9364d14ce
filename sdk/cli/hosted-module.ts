import { mkdir } from 'node:fs/promises'
import process from 'node:process'
import type { IsolationLevel, SettingValue } from '../../contract/modules.ts'
import type { ToolResult } from '../../server/chat/ports/tools.ts'
import { declaredCapabilities } from '../../server/modules/bundle/manifest/reeve-meta.ts'
import { planLaunch } from '../../server/modules/bundle/manifest/plan-launch.ts'
import { openHost } from '../../server/modules/host.ts'
import type { ModuleLink } from '../../server/modules/spec/module-link.ts'
import type { ModuleRuntime } from '../../server/modules/spec/module-runtime.ts'
import { openSandbox } from '../../server/modules/process/sandbox.ts'
import type { OpenedBundle } from './opened-bundle.ts'

const MEMORY_BYTES = 1024 ** 3
const QUIET = { info: () => undefined, warn: () => undefined }

export interface HostedModule extends AsyncDisposable {
  readonly runtime: ModuleRuntime
  /** The running process, its standard error not masked. */
  readonly link: ModuleLink
  call(tool: string, input: Record<string, unknown>, progress: (text: string) => void): Promise<ToolResult>
}

/**
 * Starts a bundle in the service's own host and sandbox, granting what it declares. Its questions are declined.
 * @throws {ModuleStartError} with its last output, when it does not come up
 */
export async function openModule(
  bundle: OpenedBundle,
  values: Readonly<Record<string, SettingValue>>,
  least: IsolationLevel | null,
): Promise<HostedModule> {
  const { slug, manifest, folder, scratch } = bundle
  await mkdir(scratch, { recursive: true })
  const launch = planLaunch(manifest, { bundleFolder: folder, dataFolder: scratch, home: scratch, values })
  const grants = declaredCapabilities(manifest)
  const sandbox = await openSandbox({ log: QUIET, node: process.execPath })
  await sandbox.ready()
  const { level } = sandbox.level(launch, grants)
  if (least !== null && level !== least)
    throw new Error(`This machine starts it as "${level}", not as "${least}". Leave --isolation out, or ask for that.`)
  const host = openHost({ log: QUIET })
  let link: ModuleLink | null = null
  host.apply([
    {
      name: slug,
      display_name: manifest.name,
      version: manifest.version,
      kind: 'bundle',
      reach: 'machine',
      fingerprint: bundle.digest,
      pins: null,
      secrets: [],
      probe: undefined,
      onProbe: () => undefined,
      async open(signal) {
        link = await sandbox.start(launch, grants, { memory_bytes: MEMORY_BYTES }, signal)
        return link
      },
    },
  ])
  const dispose = async (): Promise<void> => {
    await host[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
  }
  try {
    const runtime = await host.started(slug)
    return {
      runtime,
      link: link!,
      call: (tool, input, progress) =>
        host.call(
          {
            tool_call_id: 'call',
            module: slug,
            tool,
            input,
            user_id: 'author',
            run_id: 'run',
            conversation_id: 'conversation',
            ask: () => Promise.resolve({ action: 'decline' }),
          },
          new AbortController().signal,
          progress,
        ),
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}
