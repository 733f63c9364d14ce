import { t } from '../i18n.ts'

/** The exact command, nothing shortened: the program, then every argument on a line of its own. */
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

/** With quotes where a person could not tell where it begins and ends. */
function quoted(text: string): string {
  return text === '' || /[\s"'\\]/.test(text) ? JSON.stringify(text) : text
}
