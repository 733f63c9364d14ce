import { join } from 'node:path'
import type { ModulePolicy } from '../../../../contract/modules.ts'
import type { Caller } from '../../../../contract/route.ts'
import { type FoundSignature, storeSignature } from '../../bundle/signature/found-signature.ts'
import { verifySignature } from '../../bundle/signature/verify-signature.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { writeRequirements } from './module-requirements.ts'

interface Rechecked {
  readonly module: string
  readonly digest: string
  readonly signature: FoundSignature
}

/** Changes the requirements for every installed module. Rechecks signatures and stops modules that no longer comply. */
export async function saveRequirements(
  context: CatalogueContext,
  requirements: ModulePolicy,
  caller: Caller,
): Promise<void> {
  const rechecked = sameSigners(context.requirements(), requirements)
    ? []
    : await recheckSignatures(context, requirements)
  const { least_isolation, memory_mib, signers } = requirements
  await context.db.transaction(async (trx) => {
    const now = Date.now()
    await context.db.dialect.serialize(trx, 'modules.policy')
    await writeRequirements(trx, requirements, now)
    for (const { module, digest, signature } of rechecked) {
      await trx
        .updateTable('module_version')
        .set({ signature: storeSignature(signature) })
        .where('module', '=', module)
        .where('digest', '=', digest)
        .execute()
    }
    await context.audit.record(trx, {
      actor: caller,
      action: 'module.policy_changed',
      target: 'modules.policy',
      outcome: 'ok',
      details: { least_isolation, memory_mib, signers: signers.map(({ fingerprint }) => fingerprint) },
    })
    context.db.wake(trx, 'modules')
  })
  await context.refreshSurely()
}

function sameSigners(a: ModulePolicy, b: ModulePolicy): boolean {
  const fingerprints = ({ signers }: ModulePolicy) =>
    signers
      .map(({ fingerprint }) => fingerprint)
      .sort()
      .join()
  return fingerprints(a) === fingerprints(b)
}

/**
 * Checks the signatures themselves again, because a signer may be trusted through a certificate that vouches for it.
 */
async function recheckSignatures(context: CatalogueContext, requirements: ModulePolicy): Promise<Rechecked[]> {
  const trusted = requirements.signers.map(({ fingerprint }) => fingerprint)
  const rechecked: Rechecked[] = []
  for (const { name, versions } of context.records().values()) {
    for (const { digest, signature } of versions) {
      if (signature.state !== 'trusted' && signature.state !== 'untrusted') continue
      try {
        await using staging = await context.trees.stage()
        const packed = join(staging.folder, 'bundle')
        await context.trees.copyPackage(digest, packed)
        const { content_end: _, ...found } = await verifySignature(packed, trusted)
        rechecked.push({ module: name, digest, signature: found })
      } catch (error) {
        // Its signer can no longer be determined, so it isn't trusted.
        context.log.warn({ err: error, module: name }, 'signature cannot be checked again')
        rechecked.push({ module: name, digest, signature: { ...signature, state: 'untrusted' } })
      }
    }
  }
  return rechecked
}
