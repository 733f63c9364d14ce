/** A variable of a server, as a setting of its bundle. By name of the variable. */
export type BundleSettings = Readonly<
  Record<string, { readonly sensitive: boolean; readonly required: boolean; readonly description?: string | undefined }>
>

/** The variables of the program, each with the value of its setting. */
export function variablesOf(settings: BundleSettings): Record<string, string> {
  return Object.fromEntries(Object.keys(settings).map((key) => [key, `\${user_config.${key}}`]))
}

/** The settings as a manifest declares them. */
export function userConfigOf(settings: BundleSettings) {
  return Object.fromEntries(
    Object.entries(settings).map(([key, { description = '', ...setting }]) => [
      key,
      { type: 'string', title: key, description, ...setting },
    ]),
  )
}
