/** Its own types hide what compiled code uses. */
declare module "react/compiler-runtime" {
  export function c(size: number): unknown[];
}

/** Made by `vite/messages.ts`. */
declare module "virtual:messages/*" {
  const table: import("./i18n/messageTable").MessageTable;
  export default table;
}
