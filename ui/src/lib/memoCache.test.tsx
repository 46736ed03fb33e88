import { act, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { showLanguage } from "@/i18n";
import { renderApp } from "@/testing/render";

afterEach(() => act(() => showLanguage("en")));

describe("another language", () => {
  it("is on every part of the window, while what was typed and the focus stay", async () => {
    const { user } = renderApp("#/settings?section=redaction");
    const field = await screen.findByPlaceholderText("Authorization: Bearer …");
    await user.type(field, "token");
    await act(() => showLanguage("zh-CN"));
    expect(screen.getByRole("heading", { level: 1, name: "设置" })).toBeInTheDocument();
    expect(screen.getByRole("link", { name: /^概览/ })).toBeInTheDocument();
    expect(screen.queryByText(/Settings|Overview/)).not.toBeInTheDocument();
    expect(field).toBeInTheDocument();
    expect(field).toHaveValue("token");
    expect(field).toHaveFocus();
  });
});
