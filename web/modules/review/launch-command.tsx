import { t } from '../../text/i18n.ts'

/** The exact command, unshortened: the program, then each argument on its own line. */
export function LaunchCommand({ command, args }: { readonly command: string; readonly args: readonly string[] }) {
  return (
    <pre
      aria-label={t('modules.command')}
      className="border-line bg-sunken rounded-md border px-3 py-2 text-sm break-all whitespace-pre-wrap"
    >
      <code>
        <span className="font-medium">{quoted(command)}</span>
        {args.map((arg, index) => (
          <span key={index} className="block ps-4">
            {quoted(arg)}
          </span>
        ))}
      </code>
    </pre>
  )
}

/** Quoted when its start and end would otherwise be unclear. */
function quoted(text: string): string {
  return text === '' || /[\s"'\\]/.test(text) ? JSON.stringify(text) : text
}
