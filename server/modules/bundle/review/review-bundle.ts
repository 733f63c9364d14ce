import type { ModuleReview } from '../../../../contract/modules.ts'
import { say } from '../../../kernel/sentence.ts'
import { visible } from '../../../kernel/text/plain-text.ts'
import { declaredTools, toolChanges } from '../manifest/declared-tools.ts'
import { launchTemplate } from '../manifest/launch-template.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { declaredCapabilities } from '../manifest/reeve-meta.ts'
import { type FoundSignature, signatureIn } from '../signature/found-signature.ts'
import { type FoundWarning, warningIn } from './found-warning.ts'
import { packageChanges } from './package-changes.ts'
import { reviewContent } from './review-content.ts'
import { reviewLaunch } from './review-launch.ts'
import { reviewTexts } from './review-texts.ts'
import type { UnpackedBundle } from '../archive/unpacked-bundle.ts'

const ORDER = ['danger', 'warn', 'info']

/**
 * What an administrator must know before enabling this bundle, in a language and worst first. `previous` is the
 * installed version, against which the tools are compared.
 * @throws {BundleError} `bad_manifest` when there is no launch to review.
 */
export function reviewBundle(
  bundle: Pick<UnpackedBundle, 'manifest' | 'files' | 'natives' | 'signature'>,
  previous?: { readonly manifest: Manifest },
  language = 'en',
): ModuleReview {
  const { manifest, signature } = bundle
  const template = launchTemplate(manifest)
  const tools = declaredTools(manifest)
  const warnings = [
    ...signatureWarnings(signature),
    ...reviewLaunch(manifest, template),
    ...reviewContent(bundle),
    ...reviewTexts(manifest),
    ...packageChanges(manifest, previous?.manifest),
  ]
  return {
    command: visible(template.command),
    args: template.args.map(visible),
    env_keys: Object.keys(template.env).map(visible).sort(),
    capabilities: declaredCapabilities(manifest),
    tools: tools.map(({ name, description }) => ({ name, description })),
    tool_changes: previous === undefined ? [] : toolChanges(declaredTools(previous.manifest), tools),
    signature: signatureIn(signature, language),
    warnings: warnings
      .sort((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level))
      .map((warning) => warningIn(warning, language)),
  }
}

function signatureWarnings({ state, detail }: FoundSignature): FoundWarning[] {
  switch (state) {
    case 'unsigned':
      return [
        { code: 'unsigned', level: 'warn', message: say`This bundle is not signed, so its origin cannot be verified.` },
      ]
    case 'invalid':
      return [{ code: 'invalid_signature', level: 'danger', message: say`Its signature is not valid. ${detail}` }]
    case 'untrusted':
      return [
        {
          code: 'untrusted_signer',
          level: 'warn',
          message: say`Its signature is valid, but its signer is not trusted. ${detail}`,
        },
      ]
    case 'trusted':
      return []
  }
}
