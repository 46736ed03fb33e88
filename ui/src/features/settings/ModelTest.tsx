/** Asks the model of the settings something short, so that a wrong address or key is found before a hook needs it. */
import { Square } from "lucide-react";
import { useState } from "react";
import { Button, Elapsed, Note } from "@/components";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { duration } from "@/i18n/format";
import { faultText } from "@/i18n/messages";
import { call, type Reply, useCommand } from "@/ipc";
import { Line } from "./fields";

export function ModelTest() {
  const [{ run, since }, setRun] = useState({ run: "", since: 0 });
  const test = useCommand("model.test");
  const start = () => {
    const started = crypto.randomUUID();
    setRun({ run: started, since: Date.now() });
    test.mutate({ run: started });
  };
  return (
    <>
      <Line label={t("settings.modelTest")} about={t("settings.modelTestAbout")}>
        {test.isPending ? (
          <Button icon={Square} onClick={() => void call("fire.stop", { run }).catch(toastFault)}>
            {t("settings.modelTestStop")} <Elapsed since={since} />
          </Button>
        ) : (
          <Button onClick={start}>{t("settings.modelTestRun")}</Button>
        )}
      </Line>
      {test.isPending ? null : test.error ? (
        <Note kind="error" lead={faultText(test.error).message} />
      ) : test.data ? (
        <Result result={test.data} />
      ) : null}
    </>
  );
}

function Result({ result }: { result: Reply<"model.test"> }) {
  const took = duration(result.took_ms);
  if (result.end === "stopped") return null;
  if (result.end !== "replied")
    return (
      <Note kind="error" lead={t(`settings.modelTestEnds.${result.end}`, { took })}>
        {result.error}
      </Note>
    );
  const { input_tokens: input, output_tokens: output } = result;
  return (
    <Note lead={t("settings.modelTestEnds.replied", { took })}>
      {result.text === null ? t("settings.modelTestEmpty") : <q>{result.text}</q>}{" "}
      {input === null || output === null ? null : t("settings.modelTestTokens", { input, output })}
    </Note>
  );
}
