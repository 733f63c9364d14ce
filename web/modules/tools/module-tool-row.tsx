import { Check, ChevronRight, CircleHelp, Eye, Sparkles, type LucideIcon } from 'lucide-react'
import type { ModuleTool } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { Badge } from '../../parts/feedback/badge.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { EffectBadge } from '../../parts/feedback/effect-badge.tsx'
import { ToolPicture } from '../../parts/feedback/picture.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'

const PIN: Record<ModuleTool['pin'], { tone: Tone; icon: LucideIcon }> = {
  agreed: { tone: 'ok', icon: Check },
  changed: { tone: 'warn', icon: Eye },
  new: { tone: 'warn', icon: Sparkles },
  missing: { tone: 'neutral', icon: CircleHelp },
}

interface ModuleToolRowProps {
  readonly tool: ModuleTool
  /** Currently switched off for all users. */
  readonly off: boolean
  readonly busy: boolean
  readonly disabled: boolean
  onAgree(): void
}

/** One tool in a row; its full definition, which agreement refers to, is one click away. */
export function ModuleToolRow({ tool, off, busy, disabled, onAgree }: ModuleToolRowProps) {
  const open = tool.pin === 'changed' || tool.pin === 'new'
  return (
    <div className="flex flex-wrap items-start gap-x-2">
      <details className="group min-w-0 flex-1 basis-64">
        <summary className="hover:bg-hover flex list-none flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 focus-visible:outline-offset-[-2px] [&::-webkit-details-marker]:hidden">
          <ChevronRight aria-hidden className="text-muted size-4 shrink-0 transition-transform group-open:rotate-90" />
          <ToolPicture icon={tool.icon} />
          <span className="min-w-0 flex-1 basis-40">
            <span className="font-medium break-words">{tool.title}</span>{' '}
            <span className="text-muted font-mono text-xs break-all">{tool.name}</span>
          </span>
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {off && <Badge tone="danger">{t('switches.badge')}</Badge>}
            <EffectBadge effect={tool.effect} />
            <Status {...PIN[tool.pin]} label={t(`modules.pin_${tool.pin}`)} />
          </span>
        </summary>
        <div className="space-y-3 px-4 pt-1 pb-4 sm:pl-11">
          <p className="break-words whitespace-pre-line">
            {tool.description === '' ? t('modules.tool_no_description') : tool.description}
          </p>
          <div>
            <p className="text-muted mb-1 text-sm">{t('modules.tool_input')}</p>
            <CodeBlock code={JSON.stringify(tool.input_schema, null, 2)} language="JSON Schema" wrap />
          </div>
          <p className="text-muted text-xs">
            {t('modules.tool_hash')} <code className="break-all">{tool.definition_hash}</code>
          </p>
        </div>
      </details>
      {open && (
        <Button size="sm" busy={busy} disabled={disabled} onClick={onAgree} className="mt-2 mr-3 mb-2 max-sm:ml-11">
          {t('modules.agree')}
          <span className="sr-only"> {tool.title}</span>
        </Button>
      )}
    </div>
  )
}
