import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { Button } from '../parts/controls/button.tsx'
import { announce } from '../parts/feedback/announcer.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { Skeleton } from '../parts/feedback/skeleton.tsx'
import { toast } from '../parts/feedback/toast.tsx'
import { copyText } from '../parts/copy-text.ts'
import { CodeBlock } from '../parts/layout/code-block.tsx'
import { t } from '../text/i18n.ts'
import { setupScriptQuery } from './hosts-query.ts'

/** The script that prepares a machine: to be copied, and read before it is run as root. */
export function SetupScript() {
  const query = useQuery(setupScriptQuery)
  return (
    <QueryView query={query} failed={t('hosts.script_failed')} loading={<Skeleton className="h-9 w-40 rounded-md" />}>
      {({ script }) => (
        <div className="space-y-3">
          <Button
            icon={Copy}
            onClick={() => {
              void copyText(script).then((done) =>
                done ? announce(t('copy.done')) : toast({ text: t('copy.failed'), tone: 'danger' }),
              )
            }}
          >
            {t('hosts.script_copy')}
          </Button>
          <details className="group">
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
  )
}
