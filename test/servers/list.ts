/** A server of the registry as somebody would make a module of it, and one call that changes nothing. */
export interface ListedServer {
  readonly package: string
  readonly version: string
  /** Which program of the package, where it has several. */
  readonly bin?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /**
   * The tool to call, and its arguments: `${PAGE}` is a page that the run serves. Left out: one that reads, with something
   * for each argument that its schema requires.
   */
  readonly call?: readonly [tool: string, input: Readonly<Record<string, unknown>>]
  readonly memory_mib?: number
  /** What it is about where it cannot act here: shown in the table. */
  readonly note?: string
}

const BROWSER = '/usr/bin/chromium-headless-shell'

export const SERVERS: readonly ListedServer[] = [
  { package: '@modelcontextprotocol/server-everything', version: '2026.8.31', call: ['echo', { message: 'quiet' }] },
  {
    package: '@modelcontextprotocol/server-filesystem',
    version: '2026.8.31',
    args: ['${HOME}'],
    call: ['list_allowed_directories', {}],
  },
  {
    package: '@modelcontextprotocol/server-memory',
    version: '2026.8.31',
    env: { MEMORY_FILE_PATH: '${HOME}/memory.jsonl' },
    call: ['read_graph', {}],
  },
  {
    package: '@modelcontextprotocol/server-sequential-thinking',
    version: '2026.8.31',
    call: ['sequentialthinking', { thought: 'One', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }],
  },
  {
    package: '@modelcontextprotocol/server-github',
    version: '2025.4.8',
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'none' },
    call: ['search_repositories', { query: 'harbour' }],
  },
  {
    package: '@modelcontextprotocol/server-gitlab',
    version: '2025.4.25',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'none' },
    call: ['search_repositories', { search: 'harbour' }],
  },
  {
    package: '@modelcontextprotocol/server-postgres',
    version: '0.6.2',
    args: ['postgresql://localhost/none'],
    call: ['query', { sql: 'select 1' }],
  },
  {
    package: '@modelcontextprotocol/server-brave-search',
    version: '0.6.2',
    env: { BRAVE_API_KEY: 'none' },
    call: ['brave_web_search', { query: 'harbour' }],
  },
  {
    package: '@modelcontextprotocol/server-slack',
    version: '2025.4.25',
    env: { SLACK_BOT_TOKEN: 'xoxb-none', SLACK_TEAM_ID: 'T0' },
    call: ['slack_list_channels', {}],
  },
  {
    package: '@modelcontextprotocol/server-google-maps',
    version: '0.6.2',
    env: { GOOGLE_MAPS_API_KEY: 'none' },
    call: ['maps_geocode', { address: 'Hamburg' }],
  },
  {
    package: '@modelcontextprotocol/server-puppeteer',
    version: '2025.5.12',
    env: {
      PUPPETEER_LAUNCH_OPTIONS: JSON.stringify({ headless: true, executablePath: BROWSER, args: ['--no-sandbox'] }),
      ALLOW_DANGEROUS: 'true',
    },
    call: ['puppeteer_navigate', { url: '${PAGE}' }],
  },
  {
    package: '@modelcontextprotocol/server-redis',
    version: '2025.4.25',
    args: ['redis://localhost:6379'],
    call: ['list', {}],
    note: 'it gives up and exits when five attempts have found no Redis',
  },
  { package: '@modelcontextprotocol/server-pdf', version: '2.0.4', args: ['--stdio'], call: ['list_pdfs', {}] },
  {
    package: '@upstash/context7-mcp',
    version: '4.1.1',
    call: ['resolve-library-id', { query: 'routing', libraryName: 'fastify' }],
  },
  {
    package: '@notionhq/notion-mcp-server',
    version: '2.5.2',
    env: { NOTION_TOKEN: 'ntn_none' },
    call: ['API-get-self', {}],
  },
  {
    package: '@playwright/mcp',
    version: '0.0.83',
    args: ['--headless', '--isolated', '--no-sandbox', '--executable-path', BROWSER],
    call: ['browser_navigate', { url: '${PAGE}' }],
  },
  {
    package: 'chrome-devtools-mcp',
    version: '1.11.0',
    bin: 'chrome-devtools-mcp',
    args: [
      '--headless',
      '--isolated',
      '--no-usage-statistics',
      '--chromeArg=--no-sandbox',
      '--executablePath',
      BROWSER,
    ],
    call: ['new_page', { url: '${PAGE}' }],
  },
  {
    package: '@benborla29/mcp-server-mysql',
    version: '2.0.9',
    env: { MYSQL_HOST: 'localhost', MYSQL_USER: 'none', MYSQL_PASS: 'none', MYSQL_DB: 'none' },
    call: ['mysql_query', { sql: 'select 1' }],
    note: 'it exits when it finds no MySQL',
  },
  {
    package: 'mongodb-mcp-server',
    version: '3.0.4',
    env: { MDB_MCP_CONNECTION_STRING: 'mongodb://localhost:27017', MDB_MCP_TELEMETRY: 'disabled' },
    call: ['list-connections', {}],
  },
  {
    package: '@supabase/mcp-server-supabase',
    version: '0.13.0',
    args: ['--access-token', 'sbp_none'],
    call: ['list_projects', {}],
    note: 'it starts, but asks its service for its list of tools, which cannot be reached',
  },
  {
    package: '@stripe/mcp',
    version: '0.3.3',
    args: ['--tools=all', '--api-key=rk_test_none'],
    call: ['retrieve_balance', {}],
    note: 'it only passes on what a server of its maker offers, which cannot be reached',
  },
  { package: '@sentry/mcp-server', version: '0.39.0', args: ['--access-token=none'], call: ['find_organizations', {}] },
  {
    package: 'figma-developer-mcp',
    version: '0.13.2',
    args: ['--stdio', '--figma-api-key=none'],
    call: ['get_figma_data', { fileKey: 'none' }],
  },
  {
    package: '@azure/mcp',
    version: '2.0.5',
    args: ['server', 'start'],
    call: ['get_azure_bestpractices', { intent: 'learn' }],
  },
  { package: '@perplexity-ai/mcp-server', version: '1.2.1', env: { PERPLEXITY_API_KEY: 'none' } },
  {
    package: 'firecrawl-mcp',
    version: '3.26.0',
    env: { FIRECRAWL_API_KEY: 'none' },
    call: ['firecrawl_credit_usage', {}],
  },
  {
    package: 'exa-mcp-server',
    version: '3.4.1',
    env: { EXA_API_KEY: 'none' },
    call: ['web_search_exa', { query: 'harbour' }],
  },
  {
    package: 'tavily-mcp',
    version: '0.2.22',
    env: { TAVILY_API_KEY: 'none' },
    call: ['tavily_search', { query: 'harbour' }],
  },
  {
    package: '@brave/brave-search-mcp-server',
    version: '2.1.4',
    args: ['--transport', 'stdio'],
    env: { BRAVE_API_KEY: 'none' },
    call: ['brave_web_search', { query: 'harbour' }],
  },
  { package: 'mcp-server-kubernetes', version: '4.1.7', call: ['ping', {}] },
  {
    package: '@elastic/mcp-server-elasticsearch',
    version: '0.3.1',
    env: { ES_URL: 'http://localhost:9200', ES_API_KEY: 'none' },
    call: ['list_indices', { indexPattern: '*' }],
  },
  {
    package: '@negokaz/excel-mcp-server',
    version: '0.12.0',
    call: [
      'excel_write_to_sheet',
      { fileAbsolutePath: '/tmp/a.xlsx', sheetName: 'One', newSheet: true, range: 'A1:B1', values: [['a', 'b']] },
    ],
  },
  {
    package: '@antv/mcp-server-chart',
    version: '0.9.10',
    call: ['generate_line_chart', { data: [{ time: '2026', value: 1 }] }],
  },
  { package: 'mcp-server-commands', version: '0.5.0' },
  { package: 'mcp-mermaid', version: '0.4.1' },
  { package: '@shopify/dev-mcp', version: '1.16.0' },
  {
    package: '@apify/actors-mcp-server',
    version: '0.16.0',
    args: ['--tools', 'search-apify-docs', '--telemetry-enabled', 'false'],
    env: { APIFY_TOKEN: 'none' },
  },
  { package: '@eslint/mcp', version: '0.3.13', call: ['lint-files', { filePaths: ['/tmp/none.js'] }] },
  { package: 'nx-mcp', version: '0.25.0' },
  { package: '@cyanheads/git-mcp-server', version: '2.15.3' },
  { package: 'airtable-mcp-server', version: '1.14.0', env: { AIRTABLE_API_KEY: 'pat.none' } },
  { package: '@hubspot/mcp-server', version: '0.4.0', env: { PRIVATE_APP_ACCESS_TOKEN: 'none' } },
  { package: '@bytebase/dbhub', version: '1.4.0', args: ['--transport', 'stdio', '--demo'] },
  {
    package: 'n8n-mcp',
    version: '2.87.0',
    env: { MCP_MODE: 'stdio', LOG_LEVEL: 'error', DISABLE_CONSOLE_OUTPUT: 'true' },
  },
  { package: '@mastra/mcp-docs-server', version: '1.2.27' },
  { package: 'terraform-mcp-server', version: '0.13.0' },
  { package: '@softeria/ms-365-mcp-server', version: '0.155.0' },
  { package: '@sylphlab/pdf-reader-mcp', version: '0.3.23', call: ['read_pdf', { sources: [{ path: 'none.pdf' }] }] },
  {
    package: '@winor30/mcp-server-datadog',
    version: '1.8.0',
    env: { DATADOG_API_KEY: 'none', DATADOG_APP_KEY: 'none' },
  },
]
