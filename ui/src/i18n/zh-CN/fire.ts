import type en from "../en/fire";
import type { Same } from "../shape";

export default {
  title: "试发",
} satisfies Same<typeof en>;
