import { join } from 'node:path'
import type { ModulePolicy, Signature } from '../../../contract/modules.ts'
import type { Caller } from '../../../contract/route.ts'
import { verifySignature } from '../bundle/verify-signature.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { writePolicy } from './policy-settings.ts'

interface Rechecked {
  readonly module: string
  readonly digest: string
  readonly signature: Signature
}

/** Changes what holds for every installed module. Signatures are checked again; modules that no longer fit are stopped. */
export async function savePolicy(context: CatalogueContext, policy: ModulePolicy, caller: Caller): Promise<void> {
  const rechecked = sameSigners(context.policy(), policy) ? [] : await recheckSignatures(context, policy)
  const { least_isolation, memory_mib, signers } = policy
  await context.db.transaction(async (trx) => {
    const now = Date.now()
    await context.db.dialect.serialize(trx, 'modules.policy')
    await writePolicy(trx, policy, now)
    for (const { module, digest, signature } of rechecked) {
      await trx
        .updateTable('module_version')
        .set({ signature: JSON.stringify(signature) })
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

/** A signer may be trusted by the certificate that vouches for him, so the signatures themselves are looked at again. */
async function recheckSignatures(context: CatalogueContext, policy: ModulePolicy): Promise<Rechecked[]> {
  const trusted = policy.signers.map(({ fingerprint }) => fingerprint)
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
        // Nobody can tell any more who signed it, so it is not trusted.
        context.log.warn({ err: error, module: name }, 'signature cannot be checked again')
        rechecked.push({ module: name, digest, signature: { ...signature, state: 'untrusted' } })
      }
    }
  }
  return rechecked
}
