import { checkIntegrity, type Integrity } from '../bundle/signature/check-integrity.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import type { ModuleRecord } from './store/module-record.ts'
import { readContent } from './store/module-store.ts'

/** How the unpacked files of a module differ from those it was installed with; null where its version is not known. */
export async function installedIntegrity(
  { db, trees }: CatalogueContext,
  { name, current }: ModuleRecord,
): Promise<Integrity | null> {
  const content = current && (await readContent(db.read, name, current.digest))
  return current && content ? checkIntegrity(trees.pathOf(current.digest), content.files) : null
}
