/** The table twin of a chart: the same numbers for screen readers. */

export interface TableData {
  head: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}

export function ChartTable({ caption, data }: { caption: string; data: TableData }) {
  return (
    <table className="visually-hidden">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {data.head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.rows.map((row) => (
          <tr key={String(row[0])}>
            {row.map((value, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
              <td key={column}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
