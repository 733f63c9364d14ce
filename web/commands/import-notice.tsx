import { ApiError } from '../client/api-error.ts'
import { explainError } from '../client/explain-error.ts'
import { t } from '../text/i18n.ts'
import { Notice } from '../parts/feedback/notice.tsx'
import { NotJsonError } from './command-file.ts'

/** A file can have as many errors as lines; the first few show what is wrong. */
const SHOWN = 5

/** Why a file was not imported, error by error; nothing in it was imported. */
export function ImportNotice({ error }: { readonly error: unknown }) {
  const places = error instanceof ApiError ? error.errors : []
  return (
    <div role="alert" className="mb-3">
      <Notice tone="danger" title={t('commands.not_imported')}>
        <p>{error instanceof NotJsonError ? t('commands.not_json') : places.length > 0 ? '' : explainError(error)}</p>
        {places.length > 0 && (
          <ul className="list-disc ps-4">
            {places.slice(0, SHOWN).map(({ path, message }) => (
              <li key={path}>
                <code className="text-sm">{path}</code> {message}
              </li>
            ))}
          </ul>
        )}
        {places.length > SHOWN && <p>{t('commands.import_more_errors', { count: places.length - SHOWN })}</p>}
      </Notice>
    </div>
  )
}
