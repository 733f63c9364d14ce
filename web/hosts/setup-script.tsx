import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { HOST_PATTERNS } from '../../contract/host-values.ts'
import { Button } from '../parts/controls/button.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { announce } from '../parts/feedback/announcer.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { Skeleton } from '../parts/feedback/skeleton.tsx'
import { toast } from '../parts/feedback/toast.tsx'
import { copyText } from '../parts/copy-text.ts'
import { CodeBlock } from '../parts/layout/code-block.tsx'
import { t } from '../text/i18n.ts'
import { type Host, setupScriptQuery } from './hosts-query.ts'

/**
 * The script that prepares a machine: to be copied, and read before it is run as root. `host`: with its account; null: for
 * any.
 */
export function SetupScript({ host }: { readonly host: Host | null }) {
  const [from, setFrom] = useState('')
  const right = HOST_PATTERNS.from.test(from.trim())
  const query = useQuery({ ...setupScriptQuery(host?.host_id ?? null, from.trim()), enabled: right })
  const onCopy = async (script: string): Promise<void> => {
    if (await copyText(script)) announce(t('copy.done'))
    else toast({ text: t('copy.failed'), tone: 'danger' })
  }
  return (
    <div className="space-y-3">
      <TextField
        label={t('hosts.script_from')}
        hint={t('hosts.script_from_hint')}
        value={from}
        onChange={setFrom}
        error={right ? null : t('hosts.script_from_wrong')}
        placeholder="192.0.2.7"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="max-w-80"
      />
      <QueryView query={query} failed={t('hosts.script_failed')} loading={<Skeleton className="h-9 w-40 rounded-md" />}>
        {({ script }) => (
          <div className="space-y-3">
            <Button icon={Copy} disabled={!right || query.isPlaceholderData} onClick={() => void onCopy(script)}>
              {t('hosts.script_copy')}
            </Button>
            <details>
              <summary className="text-accent w-fit cursor-pointer text-sm underline underline-offset-2">
                {t('hosts.script_show')}
              </summary>
              <div className="mt-2">
                <CodeBlock code={script} language="sh" />
              </div>
            </details>
          </div>
        )}
      </QueryView>
    </div>
  )
}
