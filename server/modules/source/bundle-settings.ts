/** A variable of a server, as a setting of its bundle. By name of the variable. */
export type BundleSettings = Readonly<
  Record<string, { readonly sensitive: boolean; readonly required: boolean; readonly description?: string | undefined }>
>
