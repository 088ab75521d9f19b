"""The skill whose acts a transcript shows: its name and its file, which the tag of a command holds the hash of."""

from typing import Final

REF: Final = "wire-report@1.0.0"
SOURCE: Final = """/**
 * @skill wire-report
 * @version 1.0.0
 * @description 导出财务月报
 * @domains erp.example.com
 * @actions navigate, waitForSelector, click, type, press, select, getText, download
 */
async function execute(params, browserAction) {
  return { success: true, data: params };
}
"""
