import { TextCursorInput } from 'lucide-react'
import type { ToolEntry } from '../../../../contract/chat.ts'
import { t } from '../../../text/i18n.ts'
import { Button } from '../../../parts/controls/button.tsx'
import { toolArguments } from '../tool-command.ts'

interface ToolHintProps {
  readonly tool: ToolEntry
  onAsForm(): void
}

/** Shows the arguments of the tool that the message names, while it is typed. */
export function ToolHint({ tool, onAsForm }: ToolHintProps) {
  const known = toolArguments(tool.input_schema)
  return (
    <div className="border-b border-line px-3.5 py-2 text-sm">
      <div className="flex items-start gap-2">
        <p className="min-w-0 flex-1 text-muted">
          {known.length === 0
            ? t('chat.tool_no_arguments', { title: tool.title })
            : t('chat.tool_takes', { title: tool.title })}
        </p>
        {known.length > 0 && (
          <Button size="sm" variant="ghost" icon={TextCursorInput} onClick={onAsForm} className="-my-1">
            {t('tool_form.as_form')}
          </Button>
        )}
      </div>
      {known.length > 0 && (
        <dl tabIndex={0} className="mt-1 max-h-28 space-y-0.5 overflow-y-auto">
          {known.map((argument) => (
            <div key={argument.name} className="flex flex-wrap items-baseline gap-x-2">
              <dt className="font-mono text-sm">
                {argument.name}
                {argument.required && (
                  <span className="text-danger" title={t('chat.tool_required')}>
                    {'\u2009*'}
                  </span>
                )}
              </dt>
              <dd className="font-mono text-xs text-info">{argument.type}</dd>
              {argument.description !== '' && <dd className="min-w-0 text-muted">{argument.description}</dd>}
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
