import { posix } from 'node:path'
import type { DocumentPackage } from './open-package.ts'
import { scanXml } from './scan-xml.ts'

export interface Relationship {
  readonly id: string
  /** The last segment of its type, such as `slide`. */
  readonly type: string
  /** Name of a part. */
  readonly target: string
}

/**
 * The parts that a part of an Office Open XML document refers to. Empty when it refers to none. @throws {DocumentError}
 */
export async function relationships(file: DocumentPackage, part: string): Promise<Relationship[]> {
  const bytes = await file.part(posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`))
  if (bytes === null) return []
  const found: Relationship[] = []
  scanXml(bytes, {
    open(name, attribute) {
      const target = attribute('Target')
      if (name !== 'Relationship' || target === undefined || attribute('TargetMode') === 'External') return
      found.push({
        id: attribute('Id') ?? '',
        type: posix.basename(attribute('Type') ?? ''),
        target: target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(part), target),
      })
    },
  })
  return found
}
