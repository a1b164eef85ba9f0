"""Examples of every form that the grammar knows: the reference page shows them, tests read them."""

from typing import Final

from sparring_plugins.web.grammar.actions import FORMS

#: Forms of assertions: a title, and sentences of the form.
ASSERTIONS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("Something is displayed, or is not",
     ("Assert that 'Welcome' is displayed", "Assert that 'Welcome' is displayed on this page",
     "Assert that the link 'Orders' is displayed",
      "Verify that 'Saved' is visible", "Check that the page contains 'Saved'",
      "Ensure the text 'Saved' appears", "Then I should see 'Welcome'",
      "Assert that 'Error' is not displayed", "Assert that 'Error' is no longer present",
      "Assert that there is no 'Error' on the page", "It is false that 'Error' is displayed")),
    ("The page has something",
     ("Assert that the page has links", "Assert that the page has a link 'Strategy'",
      "Assert that the page has a link with the word 'MVC' in its description",
      "Assert that the page has a button 'Save'", "Assert that the page has a form",
      "Assert that there is a publication with the author 'Jouseau'")),
    ("Where it is displayed",
     ("Assert that 'Saved' is displayed in the dialog 'Settings'",
      "Assert that 'Paid' is displayed in the row of 'Order 12'",
      "Assert that the list 'Fruit' contains 'Apple'",
      "Assert that the link 'Edit' is displayed next to 'Alice'")),
    ("How often",
     ("Assert that 'ICSOFT' is displayed at least 3 times",
     "Assert that there are exactly two rows",
      "Assert that there is at least one 'Cours'", "Assert that 'a' appears more than twice",
      "Assert that there are between 2 and 4 links", "Assert that the number of links is 5",
      "Assert that 'Total' is displayed only once")),
    ("Sentences that contain something",
     ("Assert that the page has sentences containing the term 'Cours'",
      "Assert that the page has more than 3 sentences containing the term 'Cours'",
      "Assert that no sentence contains 'error'")),
    ("The state of something",
     ("Assert that the box 'I agree' is checked", "Assert that 'Newsletter' is unchecked",
      "Assert that the 'Save' button is disabled", "Assert that the button 'Save' is enabled",
      "Assert that the tab 'Settings' is selected", "Assert that the field 'Name' is focused",
      "Assert that the field 'Name' is required", "Assert that the field 'Name' is empty",
      "Assert that the section 'Details' is expanded",
      "Assert that the field 'Code' is read-only")),
    ("The value of a field",
     ("Assert that the field 'Name' contains 'Ada'",
     "Assert that the field 'Name' has the value 'Ada'",
      "Assert that the value of 'Name' is 'Ada'", "Assert that 'Ada' is in the field 'Name'",
      "Assert that 'France' is selected in the list 'Country'")),
    ("Numbers and amounts",
     ("Assert that 'Total' is greater than 100", "Assert that the total is at most $246.40",
      "Assert that 'Total' is greater than 'Subtotal'", "Assert that the price of 'iMac' is 122.00",
      "Assert that the total is between 10 and 20")),
    ("The page's address and title",
     ("Assert that the URL contains '/cart'", "Assert that the address ends with 'cart'",
      "Assert that the page title is 'Home'", "Assert that the user is redirected to '/login'")),
    ("And, or, not: \"and\" binds tighter than \"or\"; brackets group",
     ("Assert that 'a' OR 'b' is displayed", "Assert that 'a' and 'b' are displayed",
      "Assert that neither 'a' nor 'b' is displayed",
      "Assert that the page contains 'a' but not 'b'",
      "Assert that 'a' is displayed and enabled",
      "Assert that ('a' or 'b' is displayed) and 'c' is displayed")),
)  # fmt: skip
#: Forms of waiting for something.
WAITS: Final[tuple[str, ...]] = (
    "Wait until 'Done' is displayed", "Wait for 'Done'", "Wait for 'Loading' to disappear",
    "Wait up to 10 seconds for 'Done'", "Wait for the page to load",
)  # fmt: skip
EXAMPLES: Final[tuple[str, ...]] = (
    *(example for form in FORMS for example in form.examples),
    *(example for _, examples in ASSERTIONS for example in examples),
    *WAITS,
)
