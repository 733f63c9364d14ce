import type { HostLog } from '../spec/host-log.ts'
import type { ModuleHost } from '../supervision/module-host.ts'
import type { OwnerRows } from './owner-rows.ts'
import type { Ownerships } from './ownerships.ts'
import { packRuntime, unpackRuntime } from './packed-values.ts'
import type { RoutedModule } from './routed-module.ts'

const TELL_MS = 50

interface RuntimeNewsPorts {
  readonly rows: OwnerRows
  readonly local: ModuleHost
  readonly ownerships: Ownerships
  /** All modules of which there is one. */
  readonly routed: ReadonlyMap<string, RoutedModule>
  readonly log: HostLog
  changed(module: string): void
}

/** Tells other processes how the modules are that this one owns, and hears how the others' are. */
export class RuntimeNews {
  readonly #ports: RuntimeNewsPorts
  readonly #telling = new Map<string, NodeJS.Timeout>()

  constructor(ports: RuntimeNewsPorts) {
    this.#ports = ports
  }

  tellSoon(name: string): void {
    if (this.#telling.has(name)) return
    const timer = setTimeout(() => {
      this.#telling.delete(name)
      void this.tell(name)
    }, TELL_MS)
    this.#telling.set(name, timer)
  }

  /** Never rejects; tries again later. */
  async tell(name: string): Promise<void> {
    const { ownerships, local, rows, log } = this.#ports
    const ownership = ownerships.owned(name)
    const runtime = local.runtime(name)
    if (ownership === null || runtime === undefined) return
    const told = packRuntime({ runtime, definitions: local.definitions(name) })
    await rows.tell(name, ownership.row.epoch, told).catch((error: unknown) => {
      log.warn({ module: name, err: error }, 'state of a module was not told')
      this.tellSoon(name)
    })
  }

  /** Reads what other owners tell that is not known yet. */
  async read(): Promise<void> {
    const { routed, ownerships, rows, log } = this.#ports
    for (const [name, module] of routed) {
      const row = ownerships.known(name)
      if (row === undefined || ownerships.elsewhere(name) === null || row.runtime_number === module.number) continue
      try {
        const text = await rows.runtime(name)
        if (text === null || routed.get(name) !== module) continue
        await module.tell(unpackRuntime(text), row.runtime_number)
        this.#ports.changed(name)
      } catch (error) {
        log.warn({ module: name, err: error }, 'state of a module elsewhere was not read')
      }
    }
  }

  close(): void {
    for (const timer of this.#telling.values()) clearTimeout(timer)
  }
}
