export interface ReportTable {
  run_id: string
  user_id: string
  /** The text. */
  file_id: string
  /** The tables, as a workbook; null: there were none, or it is gone. */
  table_file_id: string | null
  created_at: number
}
