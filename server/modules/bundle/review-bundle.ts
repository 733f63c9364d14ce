import type { ModuleReview, ModuleWarning, Signature } from '../../../contract/modules.ts'
import { visible } from '../../kernel/text.ts'
import { declaredTools, toolChanges } from './declared-tools.ts'
import { launchTemplate } from './launch-template.ts'
import type { Manifest } from './manifest.ts'
import { declaredCapabilities } from './reeve-meta.ts'
import { reviewContent } from './review-content.ts'
import { reviewLaunch } from './review-launch.ts'
import { reviewTexts } from './review-texts.ts'
import type { UnpackedBundle } from './unpacked-bundle.ts'

const ORDER = ['danger', 'warn', 'info']

/**
 * What somebody has to know before enabling this bundle, the worst first; `previous` is the installed version, for the changes of tools.
 * @throws {BundleError} `bad_manifest` when there is no launch to review.
 */
export function reviewBundle(
  bundle: Pick<UnpackedBundle, 'manifest' | 'files' | 'natives' | 'signature'>,
  previous?: { readonly manifest: Manifest },
): ModuleReview {
  const { manifest, signature } = bundle
  const template = launchTemplate(manifest)
  const tools = declaredTools(manifest)
  const warnings = [
    ...signatureWarnings(signature),
    ...reviewLaunch(manifest, template),
    ...reviewContent(bundle),
    ...reviewTexts(manifest),
  ]
  return {
    command: visible(template.command),
    args: template.args.map(visible),
    env_keys: Object.keys(template.env).map(visible).sort(),
    capabilities: declaredCapabilities(manifest),
    tools: tools.map(({ name, description }) => ({ name, description })),
    tool_changes: previous === undefined ? [] : toolChanges(declaredTools(previous.manifest), tools),
    signature,
    warnings: warnings.sort((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level)),
  }
}

function signatureWarnings({ state, detail }: Signature): ModuleWarning[] {
  switch (state) {
    case 'unsigned':
      return [
        { code: 'unsigned', level: 'warn', message: 'Nobody signed this bundle: where it comes from cannot be told.' },
      ]
    case 'invalid':
      return [{ code: 'invalid_signature', level: 'danger', message: `Its signature is not valid. ${detail}` }]
    case 'untrusted':
      return [
        {
          code: 'untrusted_signer',
          level: 'warn',
          message: `Its signature is valid, its signer is not trusted. ${detail}`,
        },
      ]
    case 'trusted':
      return []
  }
}
