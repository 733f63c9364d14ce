import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeTree } from '../../../server/modules/bundle/archive/remove-tree.ts'
import { type NpmRequest, packNpm, type PackOptions } from '../../../server/modules/source/npm/pack-npm.ts'
import { serveNpm } from './npm-registry.ts'

/** A registry, and bundles of its packages in folders that are removed at the end. */
export async function openNpmStage() {
  const registry = await serveNpm()
  const folders: string[] = []
  const folder = async (): Promise<string> => {
    const made = await mkdtemp(join(tmpdir(), 'reeve-npm-'))
    folders.push(made)
    return made
  }
  return {
    registry,
    folder,
    packed: async (request: NpmRequest, options: Partial<PackOptions> = {}) =>
      packNpm(request, { registry: { url: registry.url }, folder: await folder(), ...options }),
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]()
      for (const made of folders) await removeTree(made)
    },
  }
}
